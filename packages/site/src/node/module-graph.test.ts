import { basename } from "node:path";
import { afterEach, expect, test } from "vitest";
import { plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { siteConfigIn } from "./config-file.ts";
import { modulesOf } from "./module-graph.ts";

const removals: (() => void)[] = [];
afterEach(() => removals.splice(0).forEach((remove) => remove()));

function files(changed?: { readonly [file: string]: string }): readonly string[] {
  const { folder, remove } = plannerSite(changed);
  removals.push(remove);
  return modulesOf(siteConfigIn(folder) ?? "")
    .map((file) => basename(file))
    .toSorted((a, b) => a.localeCompare(b));
}

const ALL = [
  "edge-tools.ts",
  "environment.ts",
  "reward.ts",
  "shared.ts",
  "tools.ts",
  "waggle.config.ts",
];

test("the files of a site are its config, what that imports, and what these import", () => {
  expect(files()).toEqual(ALL);
});

test("re-exported files count, and packages and missing files do not", () => {
  const reward = 'import "vitest";\nimport "./missing.ts";\nexport { default } from "./own.ts";\n';
  expect(files({ "reward.ts": reward, "own.ts": "export default () => 1;\n" })).toEqual(
    [...ALL, "own.ts"].toSorted((a, b) => a.localeCompare(b)),
  );
});

test("a file with a syntax error is a file of the site", () => {
  expect(files({ "reward.ts": "export default (((" })).toEqual(ALL);
});
