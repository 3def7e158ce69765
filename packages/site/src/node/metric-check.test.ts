import { type SiteMetrics, SiteSettings } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import { loadSite } from "./load-site.ts";
import { edgeVariables, siteSettings } from "./part-settings.ts";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";

const CONFIG = "waggle.config.ts";

/** The planner with these metrics, written in line 12. */
function siteWith(metrics: string): string {
  const config = (PLANNER_FILES[CONFIG] ?? "").replace("base:", `metrics: ${metrics},\n  base:`);
  const { folder, remove } = plannerSite({ [CONFIG]: config });
  onTestFinished(remove);
  return folder;
}

test("metrics reach the edge as a setting, and the Worker on one machine as JSON", async () => {
  const metrics: SiteMetrics = {
    booked: { type: "boolean", better: "higher", weight: 0.5 },
    minutes: { type: "number", better: "lower", range: [0, 90], level: "conversation" },
  };
  const loaded = await loadSite(siteWith(JSON.stringify(metrics)));
  expect(siteSettings(loaded).metrics).toEqual(metrics);
  expect(SiteSettings.parse(siteSettings(loaded))).toEqual(siteSettings(loaded));
  expect(JSON.parse(edgeVariables(loaded)["METRICS"] ?? "")).toEqual(metrics);
});

test.for([
  [
    "a number without a range",
    '{ minutes: { type: "number", better: "lower" } }',
    /^waggle\.config\.ts:12:23: metrics\.minutes is a number and has no range; write the smallest and the largest value, such as range: \[1, 5\]$/,
  ],
  [
    "a range of true and false",
    '{ booked: { type: "boolean", better: "higher", range: [0, 1] } }',
    /^waggle\.config\.ts:12:66: metrics\.booked is true or false and has a range; leave range out/,
  ],
  [
    "a range whose larger value is first",
    '{ minutes: { type: "number", better: "lower", range: [90, 0] } }',
    /^waggle\.config\.ts:12:65: metrics\.minutes\.range is a list; write two numbers from -1e9 to 1e9, the smaller first/,
  ],
  [
    "a range without an end",
    '{ minutes: { type: "number", better: "lower", range: [0, Infinity] } }',
    /metrics\.minutes\.range is a list; write two numbers/,
  ],
  [
    "no direction",
    '{ booked: { type: "boolean" } }',
    /metrics\.booked\.better is missing; write "higher" or "lower"/,
  ],
  [
    "an unknown level",
    '{ booked: { type: "boolean", better: "higher", level: "visitor" } }',
    /metrics\.booked\.level is "visitor"; write "turn" or "trajectory" or "conversation"/,
  ],
  [
    "an unknown type",
    '{ booked: { type: "text", better: "higher" } }',
    /metrics\.booked\.type is "text"; write "boolean" or "number"/,
  ],
  [
    "a weight above 1",
    '{ booked: { type: "boolean", better: "higher", weight: 2 } }',
    /metrics\.booked\.weight is 2; write a number from 0 to 1/,
  ],
  [
    "a misspelled field",
    '{ booked: { type: "boolean", beter: "higher" } }',
    /metrics\.booked has no field beter; did you mean better\?/,
  ],
  [
    "a name with a space",
    '{ "time to book": { type: "boolean", better: "higher" } }',
    /^waggle\.config\.ts:12:30: metrics has the name "time to book"; name it with 1 to 64 letters/,
  ],
  ["a list", '["booked"]', /metrics is a list; write an object such as \{ booked: /],
  [
    "33 metrics",
    'Object.fromEntries(Array.from({ length: 33 }, (_, i) => ["m" + i, { type: "boolean", better: "higher" }]))',
    /metrics has 33 members; write at most 32/,
  ],
] as const)(
  "%s is refused with its place and what to write instead",
  async ([, metrics, message]) => {
    const folder = siteWith(metrics);
    const error: unknown = await loadSite(folder).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect((error as Error).message.replaceAll(`${folder}/`, "")).toMatch(message);
  },
);
