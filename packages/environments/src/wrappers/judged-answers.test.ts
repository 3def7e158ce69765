/** Several answers in one conversation, their rewards, and what a listener hears. */
import type { Observation } from "@waggle/protocol";
import { expect, test } from "vitest";
import { JudgedAnswers } from "./judged-answers.ts";
import { overheard } from "./overheard.ts";
import { scripted, signal, turn } from "./scripted-environment.fixture.ts";

test("a wrong answer gets guidance until the answers are spent, and turns get the reward of their answer", async () => {
  const answers = new JudgedAnswers("Wrong.", 2);
  const inner = scripted();
  const { environment } = answers.around(inner);
  expect(answers.heard).toBeNull();
  const called = await environment.step(turn("", "look"), signal);
  expect(answers.heard).toBe(called);
  const guided = { toolResults: [], userMessage: "Wrong.", terminated: false };
  expect(await environment.step(turn("first"), signal)).toEqual(guided);
  // The next answer starts from the beginning.
  expect(answers.heard).toBeNull();
  expect(answers.areSpent).toBe(false);
  expect(await environment.step(turn("second"), signal)).toEqual(guided);
  expect(answers.areSpent).toBe(true);
  expect((await environment.step(turn("", "look"), signal)).terminated).toBe(false);
  expect((await environment.step(turn("right"), signal)).terminated).toBe(true);
  expect(answers.turnRewards(6)).toEqual([0, 0, 0, 1, 1, 0]);
  // Guided answers did not reach the environment.
  expect(inner.seen.map(({ text }) => text)).toEqual(["", "", "right"]);
});

test("a right answer ends the task at once, and so does the answer after the last one", async () => {
  const right = new JudgedAnswers("Wrong.", 2);
  expect((await right.around(scripted()).environment.step(turn("right"), signal)).terminated).toBe(
    true,
  );
  expect(right.turnRewards(1)).toEqual([1]);
  const wrong = new JudgedAnswers("Wrong.", 1);
  const { environment } = wrong.around(scripted());
  await environment.step(turn("first"), signal);
  expect((await environment.step(turn("teacher"), signal)).terminated).toBe(true);
  expect(wrong.turnRewards(2)).toEqual([0, 0]);
});

test("a listener hears every observation, and the policy gets the same ones", async () => {
  const heard: Observation[] = [];
  const { environment, judge } = overheard((observation) => heard.push(observation))(scripted());
  const seen = [
    await environment.step(turn("", "fail"), signal),
    await environment.step(turn("right"), signal),
  ];
  expect(heard).toEqual(seen);
  expect(heard.map(({ terminated }) => terminated)).toEqual([false, true]);
  expect(await judge("right")).toMatchObject({ success: true, parts: { turns: 2 } });
});
