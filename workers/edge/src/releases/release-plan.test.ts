import { expect, test } from "vitest";
import { readSettings, type Settings } from "../settings.ts";
import { bindings } from "../testing/edge.ts";
import { releasePlanOf } from "./release-plan.ts";

const settings: Settings = {
  ...readSettings(bindings),
  METRICS: { price: { type: "number", better: "lower", range: [2, 8] } },
};

test("a plan counts thumbs, and declared metrics from their worst to their best value", () => {
  const plan = releasePlanOf({
    ...settings,
    GATE_RELEASE: { metric: "thumb", guardrails: ["price"] },
  });
  expect(plan?.metrics).toEqual([
    { name: "thumb", type: "thumb", worst: 0, best: 1 },
    { name: "price", type: "number", worst: 8, best: 2 },
  ]);
});

test("the share of requests with a value is that of the setting, or all", () => {
  const primaryOf = (responseRate?: number) =>
    releasePlanOf({ ...settings, GATE_RELEASE: { metric: "thumb", responseRate } })?.rule.primary;
  expect(primaryOf(0.1)).toEqual({ name: "thumb", responseRate: 0.1 });
  expect(primaryOf()).toEqual({ name: "thumb" });
});

test("a metric of single turns is refused, because a release compares requests", () => {
  const METRICS = { helpful: { type: "boolean", better: "higher", level: "turn" } } as const;
  const release = { ...settings, METRICS, GATE_RELEASE: { metric: "helpful" } };
  expect(() => releasePlanOf(release)).toThrow(
    /compares requests, and helpful is a metric of single turns/,
  );
});

test.each(["booked", "constructor"])("the undeclared metric %s is refused", (metric) => {
  expect(() => releasePlanOf({ ...settings, GATE_RELEASE: { metric } })).toThrow(
    `a release needs a metric that the site declares, and ${metric} is none`,
  );
});
