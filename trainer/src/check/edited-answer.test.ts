/** Groups whose answers visitors edited, as a run in an environment trains on them. */
import { toJudgedTrajectory } from "@waggle/learning";
import { expect, test } from "vitest";
import { randomTrajectory } from "../edge-training/training.fixture.ts";
import { withEditedAnswer, withEditedAnswers } from "./edited-answer.ts";

const format = { encodeAssistant: (text: string) => Array.from(text, Number) };

test("the edited answer takes the place of the sampled one, and earlier turns are context", () => {
  const record = randomTrajectory(1);
  const [prompt, sampled] = record.segments;
  if (prompt === undefined || sampled?.kind !== "sampled") throw new Error("another fixture");
  const [turn] = record.turns;
  const two = {
    ...record,
    segments: [
      prompt,
      sampled,
      { kind: "given", id: "s2", parent: "s1", role: "tool", tokenIds: [30, 31] },
      { ...sampled, id: "s3", parent: "s2" },
    ],
    turns: [turn, { ...turn, segmentId: "s3" }],
  } as typeof record;
  const edited = withEditedAnswer(two, "57", format);
  const [sample, ...others] = toJudgedTrajectory(edited!, {
    reward: 1,
    success: true,
    parts: {},
  }).samples;
  expect(others).toEqual([]);
  const before = [...prompt.tokenIds, ...sampled.tokenIds, 30, 31];
  expect(sample?.sequence.tokenIds).toEqual([...before, 5, 7]);
  expect(sample?.lossMask).toEqual([...before.map(() => false), true, true]);
});

test("only edited answers change", () => {
  const judge = (seed: number, parts: { readonly [name: string]: string }) =>
    toJudgedTrajectory(randomTrajectory(seed), { reward: 1, success: true, parts });
  const [edited, liked] = [judge(1, { edit: "123" }), judge(2, { thumb: "up" })];
  const groups = [{ task: "t", trajectories: [edited, liked] }];
  const [changed] = withEditedAnswers(groups, format, false);
  expect(changed?.trajectories[1]).toBe(liked);
  expect(changed?.trajectories[0]?.samples[0]?.sequence.tokenIds.slice(5)).toEqual([1, 2, 3]);
});

test("for pairs, the given answer stays as the rejected side, with its last answer alone to train on", () => {
  const record = randomTrajectory(1);
  const judged = toJudgedTrajectory(record, { reward: 1, success: true, parts: { edit: "123" } });
  const [pair] = withEditedAnswers([{ task: "t", trajectories: [judged] }], format, true);
  const [chosen, rejected, ...others] = pair?.trajectories ?? [];
  expect(others).toEqual([]);
  expect([chosen?.id, rejected?.id]).toEqual([`${record.id}/wanted`, record.id]);
  expect([chosen?.verification.reward, rejected?.verification.reward]).toEqual([1, 0]);
  expect(chosen?.samples[0]?.sequence.tokenIds.slice(5)).toEqual([1, 2, 3]);
  expect(rejected?.samples[0]?.sequence.tokenIds).toEqual(judged.samples[0]?.sequence.tokenIds);
  expect(rejected?.samples[0]?.lossMask).toEqual(judged.samples[0]?.lossMask);
});
