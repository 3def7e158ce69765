/** The shop page: the shop, its view, the assistant, and simulated visitors on request. */
import { CONSENT } from "./consent.ts";
import {
  createShopEnvironment,
  edgeToolDefinitions,
  EVERYDAY,
  SHOP_SYSTEM,
} from "./environment/index.ts";
import type { EdgeToolExecutor } from "./environment/shop-environment.ts";
import { createAgent, type EnvironmentFactory } from "@waggle/embed";
import { required } from "@waggle/embed/dom";
import "@waggle/embed/element";
import {
  connectPractice,
  isLocalAddress,
  readPageRequest,
  readSiteConfig,
  reportStatus,
} from "@waggle/embed/practice";
import { keepForOffline } from "./offline.ts";
import tools, { isActing, shop } from "./page-tools.ts";
import { connectSheet } from "./agent-sheet.ts";
import { connectModelPicker } from "./model-picker.ts";
import { renderShop } from "./shop-view.ts";

const SUGGESTIONS = [
  "Add the cheapest waterproof jacket under 80 to my cart.",
  "What would three City Jackets cost in dollars?",
  "How many Storm Jackets are in stock?",
];

const config = await readSiteConfig();
const isLocal = isLocalAddress(config.edgeUrl) && isLocalAddress(location.href);
const request = readPageRequest(location.search, isLocal);

renderShop(shop, isActing);

const agent = createAgent({
  ...config,
  tools,
  edgeTools: edgeToolDefinitions.map(({ name }) => name),
  system: SHOP_SYSTEM,
  device: request.device,
  // The default model has 1,024 tokens and learned conversations. The nano model did not.
  rememberFrom: 1024,
  // It asks more often, and changes less unasked. docs/evidence/default-model.md has the figures.
  confirmBelow: 0.9,
  consent: CONSENT,
  policyIntervalMs: isLocal ? 3_000 : 60_000,
});
const panel = required("agent", HTMLElement) as HTMLElementTagNameMap["waggle-agent"];
panel.suggestions = SUGGESTIONS;
panel.toggleAttribute("developer", request.isForDeveloper);
panel.agent = agent;
connectSheet();

const status = reportStatus(agent);
/** Each simulated visitor gets a separate shop. The edge's tools are the real ones, over MCP. */
const environment: EnvironmentFactory = async (task) => {
  const edgeTools: EdgeToolExecutor | undefined = request.localEdgeTools
    ? undefined
    : (name, args, signal) => agent.callEdgeTool(name, args, signal);
  if (task.environment !== EVERYDAY) return createShopEnvironment(task, { edgeTools });
  // Its wordings are large. They are loaded apart, so that the page starts sooner.
  const { createTalk } = await import("./environment/talk/talk-environment.ts");
  return createTalk(task, edgeTools).environment;
};
const simulate = connectPractice(agent, {
  button: required("simulate", HTMLButtonElement),
  note: required("lab-note", HTMLElement),
  figures: required("lab-figures", HTMLElement),
  environment,
  otherModel: "Only the shop's own model learns; select it below.",
  working: "shopping",
  onError: status.addError,
});
connectModelPicker(agent);
if (request.autoConsent && agent.consent.get() === null) agent.consent.grant();
agent.ready
  .then(async () => {
    if (request.simulate > 0 && agent.consent.get() !== null) simulate(request.simulate);
    await keepForOffline(agent.backend ?? "", status.setOfflineReady);
  })
  // The panel shows the error to people, the status to programs.
  .catch(() => undefined);
