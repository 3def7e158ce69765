/**
 * For React 19: hooks, and the types of `<waggle-agent>` in JSX. React 19 sets what is a property of the element, and
 * writes the rest as attributes.
 */
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { PanelTexts } from "../element/panel-texts.ts";
import type { WaggleAgentElement } from "../element/waggle-agent.ts";

export { useAgent } from "./use-agent.ts";
export { useAgentState } from "./use-agent-state.ts";
export type { AgentState } from "./use-agent-state.ts";

type WaggleAgentProps = DetailedHTMLProps<
  HTMLAttributes<WaggleAgentElement>,
  WaggleAgentElement
> & {
  /** The agent to show. While it is `null`, the element is empty unless it has `edge-url` and `site-key`. */
  readonly agent?: WaggleAgentElement["agent"];
  readonly tools?: WaggleAgentElement["tools"];
  readonly suggestions?: WaggleAgentElement["suggestions"];
  readonly texts?: Partial<PanelTexts>;
  readonly launcher?: boolean;
  readonly developer?: boolean;
  readonly "edge-url"?: string;
  readonly "site-key"?: string;
  readonly "edge-tools"?: string;
  readonly "assets-url"?: string;
};

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "waggle-agent": WaggleAgentProps;
    }
  }
}
