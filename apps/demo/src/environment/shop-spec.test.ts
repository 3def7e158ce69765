import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { transcriptsOf } from "../../../../packages/environments/src/golden-transcripts.fixture.ts";
import { SHOP } from "./shop-spec.ts";

test("tasks, observations and verdicts are as recorded", async () => {
  const path = join(import.meta.dirname, "../../../../test/golden/environments/demo.json");
  expect(await transcriptsOf(SHOP)).toEqual(JSON.parse(readFileSync(path, "utf8")));
});
