/** The Vite plugin that gives a page its site: `import { site } from "virtual:waggle/site"`. */
export { visitorModule } from "./visitor-module.ts";
export { ISOLATION_HEADERS, waggle } from "./plugin.ts";
export type { WagglePluginOptions } from "./plugin.ts";
