/** A supported Hugging Face folder that differs from the nano model goes through the whole loop. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgedRollout } from "@waggle/agent/environments";
import { SHOP } from "@waggle/demo/environment";
import {
  FULL_SUPPORT,
  type TaskReference,
  toTrainingSamples,
  trajectoryDigest,
} from "@waggle/protocol";
import { afterAll, expect, test } from "vitest";
import { readBaseModel } from "../../trainer/src/model/base-model.ts";
import { openEngine, openPolicy } from "../../trainer/src/model/open-model.ts";
import { initialState } from "../../trainer/src/checkpoint/trainer-state.ts";
import { llamaFolder } from "../fixtures/llama-folder.ts";
import { checkerOf } from "../fixtures/trajectory-checker.ts";

const folder = await mkdtemp(join(tmpdir(), "waggle-llama-"));
for (const { path, bytes } of llamaFolder()) await writeFile(join(folder, path), bytes);
// A file that downloads contain and the model does not need.
await writeFile(join(folder, "README.md"), "# A model");
await writeFile(join(folder, "model-00003-of-00003.safetensors"), "of another download");
const model = await readBaseModel(folder);
const policy = await openPolicy(model, 1);
afterAll(async () => {
  await policy.dispose();
  await rm(folder, { recursive: true, force: true });
});

// Free, so that turns of this untrained model are unreadable too.
const parts = {
  policy,
  format: model.format,
  sampling: FULL_SUPPORT,
  constrainToolCalls: false,
  environments: [SHOP],
};
const task = (seed: number): TaskReference => ({ environment: "shop", seed, split: "train" });
const never = new AbortController().signal;

test("the folder is read completely: shards, template, every stop token, context length", () => {
  expect(model.reference.files.map(({ path }) => path).sort()).toEqual(
    llamaFolder()
      .map(({ path }) => path)
      .sort(),
  );
  const stops = model.format.stopTokenIds.map((id) => model.format.decodeAssistant([id]));
  expect(model.format.stopTokenIds).toHaveLength(2);
  expect(stops).toEqual(["", ""]);
  expect(policy.contextLength).toBe(2048);
  expect(policy.vocabularySize).toBe(640);
});

test("its trajectories in the shop are re-scored and judged by the trainer", async () => {
  const checker = checkerOf(model.format, { policy });
  const state = initialState({ baseModel: model.reference.sha256, recipe: "grpo", seed: 1 });
  const stopReasons = new Set<string>();
  let turns = 0;
  for (let seed = 1; seed <= 12; seed += 1) {
    const { record: trajectory } = await judgedRollout(parts, task(seed), seed, never);
    stopReasons.add(trajectory.stopReason);
    turns = Math.max(turns, trajectory.turns.length);
    const digest = await trajectoryDigest(trajectory);
    const id = "00000000-0000-4000-8000-000000000000";
    const receivedAt = "2026-01-01T00:00:00.000Z";
    const leased = { digest, visitorId: id, receivedAt, trajectory, feedback: [] };
    const group = { groupId: id, task: task(seed), size: 1, trajectories: [leased] };
    const { outcome } = await checker.check(leased, group, state);
    expect(outcome).toMatchObject({ status: "learned", success: false });
    expect(outcome.logProbGapMax).toBeLessThan(1e-4);
  }
  expect([...stopReasons].sort()).toEqual(["completed", "parse-error"]);
  expect(turns).toBeGreaterThan(1);
});

test("the training engine computes the same log-probs", async () => {
  const engine = await openEngine(model, "cpu", { rank: 4, alpha: 8, seed: 1 }, { threads: 1 });
  const { record: trajectory } = await judgedRollout(parts, task(2), 2, never);
  const [sample] = toTrainingSamples(trajectory);
  const outputs = await engine.forward({ sequences: [sample!.sequence] });
  const compared = sample!.lossMask.flatMap((kept, t) =>
    kept ? [Math.abs(outputs.logProb[0]![t]! - sample!.behaviorLogProbs[t]!)] : [],
  );
  await engine.dispose();
  expect(compared.length).toBeGreaterThan(0);
  expect(Math.max(...compared)).toBeLessThan(1e-4);
});
