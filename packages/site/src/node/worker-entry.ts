/** The entry module of a site's Worker, for Wrangler to bundle. */
import type { LoadedSite } from "./load-site.ts";

/** Imports `@waggle/edge` and, of the site, its edge tools only. */
export function workerEntry({ files }: Pick<LoadedSite, "files">): string {
  const [edge, classes] = ['"@waggle/edge"', "Coordinator, RateLimiter"];
  if (files.edgeTools === null) return `export { ${classes}, default } from ${edge};\n`;
  const lines = [
    `import { createWorker } from ${edge};`,
    `import tools from ${JSON.stringify(files.edgeTools)};`,
    `export { ${classes} } from ${edge};`,
    'export default createWorker({ sites: [{ id: "default", tools }] });',
  ];
  return `${lines.join("\n")}\n`;
}
