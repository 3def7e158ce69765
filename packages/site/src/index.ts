/** What a site's `waggle.config.ts` and its tools import. It loads neither Node nor a model. */
export { defineEdgeTools, definePageTools } from "@waggle/agent/tools";
export { defineSite } from "./site-definition.ts";
export type { SiteDefinition } from "./site-definition.ts";
