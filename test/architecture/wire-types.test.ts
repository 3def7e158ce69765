/** A type that crosses a process is inferred from its schema, so that the two cannot differ. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SOURCE = join(import.meta.dirname, "../../packages/protocol/src");

/** Schemas whose type has more than what is sent, and why. */
const WIDER: Readonly<Record<string, string>> = {
  Trajectory:
    "a rollout in this process may record several versions in one turn; an upload may not",
};

const text = globSync("*.ts", { cwd: SOURCE })
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => readFileSync(join(SOURCE, file), "utf8"))
  .join("\n");

test("types and schemas of one name are written once", () => {
  const values = [...text.matchAll(/^(?:export )?const ([A-Z]\w*[a-z]\w*)\b/gm)].map(
    ([, name]) => name as string,
  );
  const types = new Map(
    [...text.matchAll(/^export type (\w+) =([^;]*)/gm)].map(([, name, type]) => [
      name,
      type?.trim(),
    ]),
  );
  const both = values.filter((name) => types.has(name));
  const written = both.filter((name) => types.get(name) !== `z.infer<typeof ${name}>`);
  expect(written).toEqual(Object.keys(WIDER));
  expect(both.length).toBeGreaterThan(50);
});
