/** The shop's tools for the assistant: they act on the very shop that the visitor sees. */
import { pageToolDefinitions, runPageTool } from "@waggle/environments";
import type { Shop } from "@waggle/environments";
import type { PageTool } from "@waggle/embed";

export type PageTools = {
  readonly tools: readonly PageTool[];
  /** True while one of them changes the shop. */
  readonly isActing: () => boolean;
};

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
