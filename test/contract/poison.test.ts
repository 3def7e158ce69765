/** A sample of `npm run test:poison`: the bandit with one seed, and the rules of the verdict. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mulberry32 } from "@waggle/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AttackedSite, Measured } from "../../scripts/testing/poison/attacked-site.ts";
import { ATTACKS } from "../../scripts/testing/poison/attacks.ts";
import { banditSite } from "../../scripts/testing/poison/bandit-site.ts";
import { casesOf, verdictOf } from "../../scripts/testing/poison/cases.ts";
import { learnAmong } from "../../scripts/testing/poison/poisoned-learning.ts";
import { asking, population } from "../../scripts/testing/poison/population.ts";
import { isLong } from "../fixtures/long.ts";
import { ReputationLedger } from "../../scripts/testing/poison/reputation-ledger.ts";

const folder = await mkdtemp(join(tmpdir(), "waggle-poison-"));
afterAll(() => rm(folder, { recursive: true }));

let site: AttackedSite;
beforeAll(async () => {
  if (!isLong()) return;
  site = await banditSite(join(folder, "base"), new AbortController().signal);
}, 120_000);

// `npm test` has the same caps, each with its control, in trainer/src/check/poison.test.ts.
test.runIf(isLong())(
  "likes by hostile visitors do harm without the caps on senders, and less with them",
  async () => {
    const learn = (share: number, without: "caps" | null): Promise<Measured> =>
      learnAmong(site, 1, { attack: ATTACKS.thumbs, share, without });
    const honest = await learn(0, null);
    const capped = await learn(0.15, null);
    const uncapped = await learn(0.15, "caps");
    const rise = ({ target }: Measured): number => target - honest.target;
    expect(rise(uncapped)).toBeGreaterThan(0.05);
    expect(rise(capped)).toBeLessThan(0.5 * rise(uncapped));
  },
  120_000,
);

const measured = (success: number, target = 0): Measured => ({ success, marker: 0, target });
const THUMBS = { attack: "thumbs", share: 0.15 } as const;

test("a case fails beyond a bar, and a control fails within all bars", () => {
  const failed = (lost: number, rise: number, without: "caps" | null) =>
    verdictOf({ ...THUMBS, without }, [
      { honest: measured(0.8), attacked: measured(0.8 - lost, rise) },
      { honest: measured(0.8), attacked: measured(0.8, rise) },
    ]).failed;
  expect(failed(0.09, 0.01, null)).toBe(false);
  expect(failed(0.11, 0.01, null)).toBe(true);
  expect(failed(0, 0.03, null)).toBe(true);
  expect(failed(0.09, 0.01, "caps")).toBe(true);
  expect(failed(0.11, 0.01, "caps")).toBe(false);
});

test("by default, 15 % are hostile, and every defense has a control", () => {
  const cases = casesOf(false);
  expect(new Set(cases.map(({ share }) => share))).toEqual(new Set([0.15]));
  expect(cases.filter(({ without }) => without !== null)).toHaveLength(4);
  expect(casesOf(true)).toHaveLength(cases.length + 2 * Object.keys(ATTACKS).length);
});

test("hostile people have several names on a network of their own, and those who are active ask first", () => {
  const visitors = population(0.15, ATTACKS.sybils);
  const hostile = visitors.filter(({ isHostile }) => isHostile);
  expect(visitors).toHaveLength(17 + 3 * 8);
  expect(new Set(hostile.map(({ network }) => network)).size).toBe(3);
  expect(new Set(visitors.map(({ network }) => network)).size).toBe(20);
  const busy = population(0.15, ATTACKS.thumbs);
  const random = mulberry32(1);
  const first = Array.from({ length: 2000 }, () => asking(busy, 6, random));
  expect(first.every((asked) => new Set(asked).size === 6)).toBe(true);
  // 18 of 35 requests are theirs.
  const share = first.filter(([asked]) => asked?.isHostile).length / first.length;
  expect(share).toBeCloseTo(18 / 35, 1);
});

test("the ledger counts as the edge does", () => {
  const ledger = new ReputationLedger();
  const sender = { visitorId: "a", network: "n" };
  const outcome = (digest: string, status: "learned" | "rejected", more: object) =>
    ledger.judge(sender, { digest, status, logProbGapMean: 0, ...more });
  expect(ledger.weightOf(sender)).toBe(1);
  outcome("1", "rejected", { reason: "not-drawn-from-seed", drawMismatches: 1 });
  expect(ledger.weightOf(sender)).toBe(0);
  for (const digest of ["2", "3", "4"]) outcome(digest, "learned", {});
  // Records that were not drawn again prove nothing.
  expect(ledger.weightOf(sender)).toBe(0);
  for (let i = 0; i < 10; i += 1) outcome(`drawn ${i}`, "learned", { drawMismatches: 0 });
  expect(ledger.weightOf(sender)).toBeGreaterThan(0);
  const other = { visitorId: "b", network: "m" };
  for (let i = 0; i < 40; i += 1) ledger.leaveUnanswered(other.visitorId);
  expect(ledger.weightOf(other)).toBeCloseTo(2 / 3, 12);
  ledger.close();
});
