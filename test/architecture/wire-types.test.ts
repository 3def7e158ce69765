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

/**
 * Files of types for calls within a process. Their types have no schema, except those that a schema
 * of transmitted data uses.
 */
const IN_PROCESS: Readonly<Record<string, string>> = {
  "policy.ts": "the interface of a policy",
  "task.ts": "the interface of an environment",
  "tool.ts": "the interface of a tool; what is sent of a tool is validated where it arrives",
  "trajectory.ts": "see Trajectory in WIDER",
};

/** Exported types with members of their own, in a file with schemas. */
function writtenTypes(source: string): string[] {
  return [...source.matchAll(/^export type (\w+)(?:<[^=]*>)? =([^;]*)/gm)]
    .filter(([, , type = ""]) => /^\s*(?:\||\{)/.test(type) || /& \{/.test(type))
    .map(([, name]) => name as string);
}

test("every type in a file with schemas has a schema", () => {
  const found = globSync("*.ts", { cwd: SOURCE })
    .filter((file) => !/\.(test|fixture)\.ts$/.test(file) && IN_PROCESS[file] === undefined)
    .filter((file) => file !== "read-only-schema.ts")
    .flatMap((file) => {
      const source = readFileSync(join(SOURCE, file), "utf8");
      return source.includes('from "zod"') ? writtenTypes(source) : [];
    });
  expect(found).toEqual([]);
  expect(writtenTypes('export type Line =\n  | { kind: "a" }\n  | { kind: "b" };')).toEqual([
    "Line",
  ]);
  expect(writtenTypes("export type Line = { a: string };")).toEqual(["Line"]);
  expect(writtenTypes("export type Line = z.infer<typeof Line>;")).toEqual([]);
});

/** A schema annotated with a type of the same name, which is then written beside it. */
const ANNOTATED = /const (\w+): z\.ZodType<\1>/g;

test("no package writes a type beside the schema of the same name", () => {
  const root = join(SOURCE, "../../..");
  const found = ["packages/*/src", "apps/*/src", "workers/*/src", "scripts"].flatMap((folder) =>
    globSync(`${folder}/**/*.ts`, { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(ANNOTATED)].map(([, name]) => name),
    ),
  );
  expect(found).toEqual(Object.keys(WIDER));
});

test("the status of a page with simulated visitors is declared once", () => {
  const root = join(SOURCE, "../../..");
  const declaring = ["apps/*/src", "packages/*/src", "scripts", "test"]
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
    .filter((file) => /\bwagglePage\??: \{/.test(readFileSync(join(root, file), "utf8")));
  expect(declaring).toEqual(["packages/embed/src/practice/page-status.ts"]);
});
