import { SiteSettings } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import { loadSite } from "./load-site.ts";
import { edgeVariables, siteSettings } from "./part-settings.ts";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";

const CONFIG = "waggle.config.ts";
const METRICS = '{ booked: { type: "boolean", better: "higher" } }';

/** The planner with this release, written in line 13. */
function siteWith(release: string, metrics = METRICS): string {
  const gate = `metrics: ${metrics},\n  gate: { release: ${release} },\n  base:`;
  const config = (PLANNER_FILES[CONFIG] ?? "").replace(/gate: \{[^}]*\},\s*/, "");
  const { folder, remove } = plannerSite({ [CONFIG]: config.replace("base:", gate) });
  onTestFinished(remove);
  return folder;
}

test("a release reaches the edge as a setting, and the Worker on one machine as JSON", async () => {
  const release = {
    metric: "booked",
    guardrails: ["thumb"],
    responseRate: 0.2,
    horizon: 4000,
    stages: [
      { share: 0.1, exposure: 0.05 },
      { share: 0.5, exposure: 1 },
    ],
  };
  const loaded = await loadSite(siteWith(JSON.stringify(release)));
  expect(siteSettings(loaded).gateRelease).toEqual(release);
  expect(SiteSettings.parse(siteSettings(loaded))).toEqual(siteSettings(loaded));
  expect(JSON.parse(edgeVariables(loaded)["GATE_RELEASE"] ?? "")).toEqual(release);
});

test.for([
  [
    "a metric that is not declared",
    '{ metric: "bought" }',
    /^waggle\.config\.ts:\d+:\d+: gate\.release: a release needs a metric that the site declares, and bought is none; it has thumb, booked$/,
  ],
  [
    "a guardrail that is not declared",
    '{ metric: "thumb", guardrails: ["bought"] }',
    /gate\.release: a release needs a metric that the site declares, and bought is none/,
  ],
  ["no metric", "{ horizon: 1000 }", /gate\.release\.metric is missing; write thumb, or the name/],
  [
    "a metric twice",
    '{ metric: "thumb", guardrails: ["thumb"] }',
    /^waggle\.config\.ts:\d+:\d+: gate\.release\.guardrails must not repeat a metric$/,
  ],
  [
    "a short horizon",
    '{ metric: "thumb", horizon: 10 }',
    /gate\.release\.horizon is 10; write a number of requests, at least 100/,
  ],
  [
    "a share of requests in percent",
    '{ metric: "thumb", responseRate: 20 }',
    /gate\.release\.responseRate is 20; write the share of requests that give a value, above 0 and up to 1/,
  ],
  [
    "a share of all visitors",
    '{ metric: "thumb", stages: [{ share: 1, exposure: 0.1 }] }',
    /gate\.release\.stages\[0\]\.share is 1; write a number above 0 and below 1/,
  ],
  [
    "an exposure above the horizon",
    '{ metric: "thumb", stages: [{ share: 0.5, exposure: 1.1 }] }',
    /gate\.release\.stages\[0\]\.exposure is 1\.1; write a number above 0, up to 1/,
  ],
  [
    "shares that fall",
    '{ metric: "thumb", stages: [{ share: 0.2, exposure: 0.1 }, { share: 0.1, exposure: 0.1 }] }',
    /gate\.release\.stages must have growing shares/,
  ],
  [
    "a misspelled field",
    '{ metric: "thumb", guardrail: ["booked"] }',
    /gate\.release has no field guardrail; did you mean guardrails\?/,
  ],
] as const)("%s is refused with its place", async ([, release, message]) => {
  const folder = siteWith(release);
  const error: unknown = await loadSite(folder).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
  expect((error as Error).message.replaceAll(`${folder}/`, "")).toMatch(message);
});

test("a release cannot decide by a metric of single turns", async () => {
  const metrics = '{ booked: { type: "boolean", better: "higher", level: "turn" } }';
  await expect(loadSite(siteWith('{ metric: "booked" }', metrics))).rejects.toThrow(
    /gate\.release: a release compares requests, and booked is a metric of single turns/,
  );
  await expect(
    loadSite(siteWith('{ metric: "booked" }', metrics.replace("turn", "conversation"))),
  ).resolves.toBeDefined();
});

test("a declared metric cannot have the name of the visitors' thumbs in a release", async () => {
  const folder = siteWith('{ metric: "thumb" }', METRICS.replace("booked", "thumb"));
  await expect(loadSite(folder)).rejects.toThrow(/give the declared metric another name/);
});
