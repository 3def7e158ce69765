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

test("the default model's README has the card of its recorded run", () => {
  const recorded = JSON.parse(read("docs/evidence/default-model.json")) as PretrainReport;
  const card = modelCard(recorded, {
    environment: "default",
    source: "./apps/demo/src/environment/default-demonstrations.ts#DEFAULT_DEMONSTRATIONS",
  });
  const fromTraining = card.slice(card.indexOf("## Training"));
  expect(fromTraining.length).toBeGreaterThan(1000);
  expect(read("packages/model/default/README.md")).toContain(fromTraining);
});

test("the card of a default model has its own command, and says nothing of the nano model", () => {
  const card = modelCard({ ...report, size: "medium" }, source);
  expect(card).toContain("train-base -- --size medium --env");
  expect(card).toContain("The first 800 steps");
  expect(card).not.toMatch(/nano |docs\/evidence|wrong about half/);
});
