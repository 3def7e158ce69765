import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { modelCard } from "./model-card.ts";
import type { PretrainReport } from "./pretrain-report.ts";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const report = JSON.parse(read("docs/evidence/pretrain.json")) as PretrainReport;
const source = {
  environment: "shop",
  source: "./apps/demo/src/environment/index.ts#NANO_DEMONSTRATIONS",
};

test("the nano model's README is the card of its recorded run", () => {
  expect(modelCard(report, source)).toBe(read("packages/model/nano/README.md"));
});

test("the card of a default model has its own command, and says nothing of the nano model", () => {
  const card = modelCard({ ...report, size: "medium" }, source);
  expect(card).toContain("train-base -- --size medium --env");
  expect(card).toContain("The first 800 steps");
  expect(card).not.toMatch(/nano |docs\/evidence|wrong about half/);
});
