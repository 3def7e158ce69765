/** A sample of `npm run test:tamper`: every forgery of a record that the nano model sampled in a page's runtime. */
import type { Trajectory } from "@waggle/protocol";
import { createNodePolicy } from "@waggle/runtime/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FORGERIES } from "../../scripts/testing/tamper/forged-records.ts";
import { runManifestAttacks } from "../../scripts/testing/tamper/manifest-attacks.ts";
import { Judge } from "../../scripts/testing/tamper/measure.ts";
import {
  honestTokens,
  runForgeries,
  runOtherRecordAttacks,
  selectionResult,
} from "../../scripts/testing/tamper/record-attacks.ts";
import {
  assignments,
  forgeableRecords,
  honest,
  selections,
  strangeAdapter,
} from "../../scripts/testing/tamper/visitors.ts";
import { openBaseModel } from "../../trainer/src/model/base-model.ts";
import { openPolicy } from "../../trainer/src/model/open-model.ts";
import { NANO_MODEL } from "../fixtures/demo.ts";
import { sampleSize } from "../fixtures/long.ts";

const model = await openBaseModel(NANO_MODEL);
const policy = await openPolicy(model, 1);
const page = await createNodePolicy({
  config: model.config,
  weights: model.weights,
  baseModel: model.reference.sha256,
  dtype: "f32",
  kernels: "wasm",
  tokenizerFiles: new Map(model.files.map(({ path, bytes }) => [path, bytes])),
});
afterAll(() => Promise.all([policy.dispose(), page.dispose()]));

const newest = strangeAdapter(model, 3);
const judge = new Judge(model, policy, { newest });
let records: Trajectory[];
beforeAll(async () => {
  records = await forgeableRecords(honest(model, page), sampleSize(2, 20));
}, 120_000);

test("honest records are learned from", async () => {
  expect(records).toHaveLength(sampleSize(2, 20));
  expect((await judge.outcomes(records)).counts).toEqual(new Map([["learned", records.length]]));
});

test("every forgery is stopped with its reason", async () => {
  const results = await runForgeries({ honest: records, judge });
  expect(results).toHaveLength(FORGERIES.length);
  const others = results.filter(({ result }) => result !== "rejected");
  expect(others.map(({ name, result }) => [name, result])).toEqual([
    ["a failure as a broken tool", "neutralized"],
  ]);
}, 120_000);

test("copies, stale records and values that nobody may choose are stopped", async () => {
  const strict = new Judge(model, policy, { newest, maxStaleness: 0 });
  const results = await runOtherRecordAttacks({ honest: records, judge }, strict);
  expect(results.filter(({ result }) => result === "failed")).toEqual([]);
});

test("a page refuses every manifest that its publisher did not sign for it", async () => {
  const results = await runManifestAttacks();
  expect(results.length).toBeGreaterThan(5);
  expect(results.filter(({ result }) => result !== "rejected")).toEqual([]);
});

test("an attack by selection is stopped if the attacker is in quarantine and at most a tenth of the records count", () => {
  const attack = { name: "n", does: "d" };
  const [record] = records as [Trajectory];
  const result = (learned: number, isQuarantined: boolean, tokens = honestTokens([])) => {
    const counts = new Map([
      ["learned", learned],
      ["not-drawn-from-seed", 20 - learned],
    ]);
    const outcomes = { counts, learned: Array.from({ length: learned }, () => record) };
    return selectionResult(attack, { ...outcomes, isQuarantined }, tokens).result;
  };
  expect([0, 2, 3].map((learned) => result(learned, true))).toEqual([
    "rejected",
    "neutralized",
    "failed",
  ]);
  expect(result(0, false)).toBe("failed");
  // All records are what an honest page sends, or some of these are missing.
  expect(result(20, false)).toBe("failed");
  expect(result(20, false, honestTokens([record]))).toBe("neutralized");
  expect(result(19, false, honestTokens([record]))).toBe("failed");
});

test("of an honest visitor every record counts, and of one who sends the best of four rollouts none", async () => {
  const others = selections(model, policy, page);
  const sent = async (name: string | null) => {
    const roll = others.find((one) => one.name === name)?.rollout ?? honest(model, page);
    const own: Trajectory[] = [];
    for (const assigned of assignments(10)) own.push(await roll(assigned));
    return new Judge(model, policy).visitor(own, 10);
  };
  expect(await sent(null)).toMatchObject({
    counts: new Map([["learned", 10]]),
    isQuarantined: false,
  });
  const { counts, isQuarantined } = await sent("best of 4");
  expect(counts.get("learned")).toBeUndefined();
  expect(isQuarantined).toBe(true);
}, 120_000);
