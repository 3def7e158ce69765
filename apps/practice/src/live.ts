/**
 * The page of a live run: the assistant of a site whose tools run at the site's backend. It knows no environment and nothing
 * about the people who use it. `?backend=` is the backend's address, and `?visit=` names this visit there.
 */
import {
  isLocalAddress,
  readPageRequest,
  readSiteConfig,
  reportStatus,
} from "@waggle/embed/practice";
import { namedAssistant } from "./named-assistant.ts";
import { backendTools, readBackend } from "./site-backend.ts";

const config = await readSiteConfig();
const parameters = new URLSearchParams(location.search);
const backend = parameters.get("backend") ?? "";
const visit = parameters.get("visit") ?? "";
if (!isLocalAddress(backend)) {
  throw new Error("a live page takes the address of a backend on this machine, as ?backend=");
}
const site = await readBackend(backend);

const { agent, panel } = namedAssistant(site.name, {
  ...config,
  tools: backendTools(site, { backend, visit }),
  system: site.system,
  device: readPageRequest(location.search, true).device,
  limits: site.limits,
  // Each request is one task, as in practice, and starts a new conversation.
  rememberFrom: 0,
  policyIntervalMs: 3_000,
});
panel.agent = agent;
reportStatus(agent);
