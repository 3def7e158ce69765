/** The type of `virtual:waggle/site`: put `"@waggle/site/client"` into `types` of your tsconfig.json. */
declare module "virtual:waggle/site" {
  import type { AgentOptions } from "@waggle/embed";
  import type { PanelTexts } from "@waggle/embed/element";

  /** The page's part of the site. It is what `createAgent` takes. */
  export const site: AgentOptions & {
    /** What people read. */
    readonly name: string;
    /** For `texts` of `<waggle-agent>`: the visitor's language, and the site's own texts. */
    readonly panelTexts: Partial<PanelTexts>;
    /** For `suggestions` of `<waggle-agent>`, in the visitor's language. */
    readonly suggestions: readonly string[];
  };
}
