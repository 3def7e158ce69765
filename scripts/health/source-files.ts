/** The TypeScript files that `npm run health` measures. */
import { globSync } from "node:fs";
import { ROOT } from "../root.ts";

const TEST = /\.(test|bench|contract|test-d|fixture)\.ts$|\/testing\/|^test\/|^packages\/testing\//;
const PATTERNS = [
  "{packages,workers}/*/{src,bench}/**/*.ts",
  "{apps,examples}/**/*.ts",
  "trainer/{src,bench}/**/*.ts",
  "{scripts,test}/**/*.ts",
];

/** Whether a file belongs to the tests. */
export const isTestFile = (file: string): boolean => TEST.test(file);

/** Paths relative to the root, including tests, without generated and installed files. */
export function typeScriptFiles(): string[] {
  return globSync(PATTERNS, { cwd: ROOT, exclude: ["**/node_modules/**", "**/dist/**"] })
    .filter((file) => !file.endsWith(".d.ts"))
    .toSorted();
}
