/** The TypeScript files of the repository, as `npm run health` counts them. */
import { globSync } from "node:fs";
import { ROOT } from "../stack.ts";

const TEST = /\.(test|bench|contract|test-d|fixture)\.ts$|\/testing\/|^test\/|^packages\/testing\//;
const PATTERNS = [
  "{packages,workers}/*/{src,bench}/**/*.ts",
  "{apps,examples}/**/*.ts",
  "trainer/{src,bench}/**/*.ts",
  "{scripts,test}/**/*.ts",
];

/** Whether a file belongs to the tests. */
export const isTestFile = (file: string): boolean => TEST.test(file);

/** Paths from the root, tests included, generated and installed files not. */
export function typeScriptFiles(): string[] {
  return globSync(PATTERNS, { cwd: ROOT, exclude: ["**/node_modules/**", "**/dist/**"] })
    .filter((file) => !file.endsWith(".d.ts"))
    .toSorted();
}
