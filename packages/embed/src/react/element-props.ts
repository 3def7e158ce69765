/** `<waggle-agent>` in JSX. React 19 sets what is a property of the element, and writes the rest as attributes. */
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { PanelTexts } from "../element/panel-texts.ts";
import type { WaggleAgentElement } from "../element/waggle-agent.ts";

/** What `<waggle-agent>` accepts in JSX. */
type WaggleAgentProps = DetailedHTMLProps<
  HTMLAttributes<WaggleAgentElement>,
  WaggleAgentElement
> & {
  /** The agent to show. While it is `null`, the element is empty unless it has the two attributes below. */
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
  // oxlint-disable-next-line typescript/no-namespace -- the way to extend JSX
  namespace JSX {
    interface IntrinsicElements {
      "waggle-agent": WaggleAgentProps;
    }
  }
}
