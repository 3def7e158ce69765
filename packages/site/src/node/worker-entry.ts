/** The entry module of a Worker with the code of sites, for Wrangler to bundle. */

/** The code of a site in a Worker. */
type WorkerCode = {
  /** Id of the site at the edge. */
  readonly id: string;
  /** Absolute path of the module with its edge tools; `null` if it has none. */
  readonly edgeTools: string | null;
};

/** Imports `@waggle/edge` and, of each site, its edge tools only. */
export function workerEntry(sites: readonly WorkerCode[]): string {
  const [edge, classes] = ['"@waggle/edge"', "Coordinator, RateLimiter"];
  const coded = sites.filter(({ edgeTools }) => edgeTools !== null);
  if (coded.length === 0) return `export { ${classes}, default } from ${edge};\n`;
  const lines = [
    `import { createWorker } from ${edge};`,
    ...coded.map(({ edgeTools }, i) => `import tools${i} from ${JSON.stringify(edgeTools)};`),
    `export { ${classes} } from ${edge};`,
    "export default createWorker({",
    "  sites: [",
    ...coded.map(({ id }, i) => `    { id: ${JSON.stringify(id)}, tools: tools${i} },`),
    "  ],",
    "});",
  ];
  return `${lines.join("\n")}\n`;
}
