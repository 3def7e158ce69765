/** Programs, models and specifications of others that `npm run test:interop` tries Waggle with. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/root.ts";

/** A case in which Waggle does not do what its counterpart expects, and why. */
export type Deviation = { readonly case: string; readonly reason: string };

/** What a run found. */
export type Outcome = {
  /** Number of cases that passed. */
  readonly passed: number;
  /** Cases that failed and are not listed as deviations. */
  readonly failed: readonly string[];
  readonly deviations: readonly Deviation[];
};

/** The default export of `test/interop/<id>.interop.ts`. */
export type Counterpart = {
  readonly name: string;
  /** Version of the installed package, or of the document. */
  readonly version: string;
  /** Counterparts of one area share a row of the evidence page. */
  readonly area?: string;
  /** What the cases are, for the appendix of the evidence page. */
  readonly about?: string;
  readonly run: () => Promise<Outcome>;
};

/** The version of a package that is installed in the repository. */
export function installedVersion(name: string): string {
  const path = join(ROOT, "node_modules", name, "package.json");
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}
