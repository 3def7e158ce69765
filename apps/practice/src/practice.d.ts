/** What the plugin of `@waggle/dev` puts into the pages. */
declare module "virtual:waggle/practice" {
  import type { EnvironmentSpec } from "@waggle/environments";

  export const environment: EnvironmentSpec;
}

declare module "virtual:waggle/visitor" {
  import type { AgentOptions } from "@waggle/embed";
  import type { PanelTexts } from "@waggle/embed/element";

  /** What visitors of the site read and decide. */
  export const visitor: Pick<AgentOptions, "consent" | "redactionRules" | "texts"> & {
    readonly panelTexts: Partial<PanelTexts>;
    readonly suggestions: readonly string[];
  };
}
