/**
 * The page of a live run: the assistant of a site whose tools run at the site's backend. It knows no environment and nothing
 * about the people who use it. `?backend=` is the backend's address, and `?visit=` names this visit there.
 */
import { createAgent } from "@waggle/embed";
import { required } from "@waggle/embed/dom";
import "@waggle/embed/element";
import {
  isLocalAddress,
  readPageRequest,
  readSiteConfig,
  reportStatus,
} from "@waggle/embed/practice";
import { visitor } from "virtual:waggle/visitor";
import { backendTools, readBackend } from "./site-backend.ts";

const config = await readSiteConfig();
const parameters = new URLSearchParams(location.search);
const [backend, visit] = ["backend", "visit"].map((name) => parameters.get(name) ?? "");
if (backend === undefined || !isLocalAddress(backend)) {
  throw new Error("a live page takes the address of a backend on this machine, as ?backend=");
}
const site = await readBackend(backend);

document.title = site.name;
required("name", HTMLElement).textContent = site.name;

// The panel suggests nothing: people know what they want.
const { panelTexts, suggestions: _, ...ofSite } = visitor;
const agent = createAgent({
  ...ofSite,
  ...config,
  tools: backendTools(site, { backend, visit: visit ?? "" }),
  system: site.system,
  device: readPageRequest(location.search, true).device,
  limits: site.limits,
  // Each request is one task, as in practice, and starts a new conversation.
  rememberFrom: 0,
  policyIntervalMs: 3_000,
});
const panel = required("agent", HTMLElement) as HTMLElementTagNameMap["waggle-agent"];
panel.texts = panelTexts;
panel.agent = agent;
reportStatus(agent);
