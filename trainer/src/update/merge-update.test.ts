/** Members of a merging stage, on a table engine. */
import { mergeStage, type Stage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { expect, test } from "vitest";
import { tableEngine } from "../expectations/table-engine.fixture.ts";
import { mergeMembers } from "./merge-update.ts";

test("every member of a merge starts from the same parameters", async () => {
  const engine = tableEngine([-1, -1]);
  const members: (readonly Stage[])[] = [[], []];
  const stage = mergeStage({
    rollout: parts.weights(),
    members,
    how: parts.averagedDeltas(),
    state: { delta: parts.deltas },
  });
  if (stage.merging === null) throw new Error("the stage has no merge");
  const starts: number[] = [];
  const learn = async (): Promise<void> => {
    starts.push(engine.at(0));
    await engine.backward(
      { sequences: [{ tokenIds: [0] }] },
      { logProb: [Float32Array.of(-starts.length)] },
    );
    await engine.optimStep({ learningRate: 1 });
  };
  const evaluate = () => Promise.reject(new Error("a merge without a gate must not evaluate"));
  await mergeMembers(engine, stage.merging, { learn, evaluate, random: () => 0.5 });
  expect(starts).toEqual([-1, -1]);
  // The members moved by 1 and by 2.
  expect(engine.at(0)).toBeCloseTo(0.5, 6);
});
