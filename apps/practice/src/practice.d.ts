/** What the plugin of `@waggle/dev` puts into the page: the environment, and the texts of the site. */
declare module "virtual:waggle/practice" {
  import type { EnvironmentSpec } from "@waggle/environments";
  import type { AgentOptions } from "@waggle/embed";
  import type { PanelTexts } from "@waggle/embed/element";

  export const environment: EnvironmentSpec;
  /** What visitors of the site read and decide. */
  export const visitor: Pick<AgentOptions, "consent" | "redactionRules" | "texts"> & {
    readonly panelTexts: Partial<PanelTexts>;
    readonly suggestions: readonly string[];
  };
}
