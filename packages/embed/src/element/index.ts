/** Defines `<waggle-agent>`. Importing this module needs a DOM; the package root does not. */
import { WaggleAgentElement } from "./waggle-agent.ts";

export { WaggleAgentElement } from "./waggle-agent.ts";
export type { PanelTexts } from "./panel-texts.ts";

if (customElements.get("waggle-agent") === undefined) {
  customElements.define("waggle-agent", WaggleAgentElement);
}

declare global {
  interface HTMLElementTagNameMap {
    "waggle-agent": WaggleAgentElement;
  }
}
