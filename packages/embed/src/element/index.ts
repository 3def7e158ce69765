/** Defines `<waggle-agent>`. A server that renders pages can import this module; there it defines nothing. */
import { WaggleAgentElement } from "./waggle-agent.ts";

export { WaggleAgentElement } from "./waggle-agent.ts";
export type { PanelTexts } from "./panel-texts.ts";

// Absent on a server.
const registry: CustomElementRegistry | undefined = globalThis.customElements;
if (registry?.get("waggle-agent") === undefined) {
  registry?.define("waggle-agent", WaggleAgentElement);
}

declare global {
  interface HTMLElementTagNameMap {
    "waggle-agent": WaggleAgentElement;
  }
}
