/** The practice page: tasks of one environment to try by hand, and simulated visitors that practice in it. */
import { required } from "@waggle/embed/dom";
import {
  connectPractice,
  isLocalAddress,
  readPageRequest,
  readSiteConfig,
  reportStatus,
} from "@waggle/embed/practice";
import { environment } from "virtual:waggle/practice";
import { namedAssistant } from "./named-assistant.ts";
import { createSampleTask } from "./sample-task.ts";

const config = await readSiteConfig();
const isLocal = isLocalAddress(config.edgeUrl) && isLocalAddress(location.href);
const request = readPageRequest(location.search, isLocal);
const sample = await createSampleTask(environment);

const { maxTurns, maxTurnTokens } = environment;
const { agent, panel } = namedAssistant(environment.name, {
  ...config,
  tools: sample.tools,
  system: sample.system,
  device: request.device,
  limits: {
    maxTurns,
    ...(maxTurnTokens === undefined ? {} : { maxTokensPerTurn: maxTurnTokens }),
  },
  policyIntervalMs: isLocal ? 3_000 : 60_000,
});
panel.toggleAttribute("developer", request.isForDeveloper);
const shown = required("request", HTMLElement);
const showTask = (): void => {
  shown.textContent = sample.request();
  panel.suggestions = [sample.request()];
};
showTask();
panel.agent = agent;

const status = reportStatus(agent);
required("ask", HTMLButtonElement).addEventListener("click", () => {
  // The panel shows a failure.
  agent.send(sample.request()).finished.catch(() => undefined);
});
required("next", HTMLButtonElement).addEventListener("click", () => {
  agent.clear();
  sample.next().then(showTask, status.addError);
});
const updateAsk = (): void => {
  required("ask", HTMLButtonElement).disabled = agent.status.phase !== "ready";
};
agent.onChange(updateAsk);
updateAsk();

const practice = connectPractice(agent, {
  button: required("simulate", HTMLButtonElement),
  note: required("practice-note", HTMLElement),
  figures: required("practice-figures", HTMLElement),
  environment: (task) => environment.create(task),
  otherModel: "Only the site's own model learns.",
  working: "practicing",
  onError: status.addError,
});
if (request.autoConsent && agent.consent.get() === null) agent.consent.grant();
agent.ready
  .then(() => {
    if (agent.consent.get() !== null && request.simulate > 0) practice(request.simulate);
  })
  // The panel shows the error to people, the status to programs.
  .catch(() => undefined);
