/** The site that vite.config.ts puts into the page. */
declare module "virtual:waggle-site" {
  import type { EnvironmentSpec } from "@waggle/environments";
  export const environment: EnvironmentSpec;
}
