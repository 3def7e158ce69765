/** The shop's tools for the assistant. They act on the shop that the visitor sees. */
import { pageToolDefinitions, runPageTool } from "@waggle/environments";
import type { Shop } from "@waggle/environments";
import type { PageTool } from "@waggle/embed";

/** The tools, and whether one of them is running. */
export type PageTools = {
  readonly tools: readonly PageTool[];
  /** True while a tool changes the shop. */
  readonly isActing: () => boolean;
};

/** Creates the tools of a shop. */
export function createPageTools(shop: Shop): PageTools {
  let acting = false;
  return {
    isActing: () => acting,
    tools: pageToolDefinitions.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
      run: (args) => {
        acting = true;
        try {
          return runPageTool(shop, name, args);
        } finally {
          acting = false;
        }
      },
    })),
  };
}
