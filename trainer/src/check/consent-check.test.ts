/** What a trainer does with consents that expired, or do not cover what it would use. */
import type { Consent, LeasedGroup } from "@waggle/protocol";
import { trajectoryDigest } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { expect, test } from "vitest";
import { initialState } from "../checkpoint/trainer-state.ts";
import { randomTrajectory, TINY_BASE } from "../edge-training/training.fixture.ts";
import { createTrajectoryChecker } from "./trajectory-check.ts";

/** Checks of consent come before everything that needs a model. */
const REACHED = "the consent was accepted";
const checker = createTrajectoryChecker({
  policy: { baseModel: TINY_BASE, vocabularySize: 1000 } as AdaptivePolicy,
  adapterCache: { get: () => Promise.reject(new Error("there is no adapter")) },
  replay: () => Promise.reject(new Error("live requests are not replayed")),
  feedback: async () => ({ holds: false, status: "skipped", reason: REACHED }),
  maxStaleness: 1,
});
const state = initialState({ baseModel: TINY_BASE, recipe: "thumbs-reinforce", seed: 1 });

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

async function reasonOf(
  change: Partial<Consent>,
  site: Pick<LeasedGroup, "consentDays"> = {},
): Promise<string | undefined> {
  const request = randomTrajectory(1);
  const trajectory = { ...request, consent: { ...request.consent, ...change } };
  const leased = {
    digest: await trajectoryDigest(trajectory),
    visitorId: crypto.randomUUID(),
    receivedAt: new Date().toISOString(),
    trajectory,
    feedback: [],
  };
  const group = { groupId: leased.visitorId, task: null, size: 1, trajectories: [leased], ...site };
  return (await checker.check(leased, group, state)).outcome.reason;
}

test.each<[string, Partial<Consent>, string]>([
  ["of today", {}, REACHED],
  ["to collecting alone", { scopes: ["collect"], choices: true }, "no-train-consent"],
  ["without feedback", { scopes: ["collect", "train"], choices: true }, "no-feedback-consent"],
  ["to everything", { scopes: ["collect", "train", "feedback"], choices: true }, REACHED],
  ["of 399 days ago", { grantedAt: daysAgo(399) }, REACHED],
  ["of 401 days ago", { grantedAt: daysAgo(401) }, "consent-expired"],
  ["from the future", { grantedAt: daysAgo(-2) }, "consent-expired"],
])("a consent %s: %o is answered with %s", async (_, change, reason) => {
  expect(await reasonOf(change)).toBe(reason);
});

test.each([
  [29, REACHED],
  [31, "consent-expired"],
])("at a site whose consents hold for 30 days, one of %i days: %s", async (days, reason) => {
  expect(await reasonOf({ grantedAt: daysAgo(days) }, { consentDays: 30 })).toBe(reason);
});
