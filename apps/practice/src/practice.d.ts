/** The environment that the plugin of `@waggle/dev` puts into the page. */
declare module "virtual:waggle/practice" {
  import type { EnvironmentSpec } from "@waggle/environments";
  export const environment: EnvironmentSpec;
}
