/**
 * A language model as the environment: it is trained on the same format it is queried in, and
 * learns tool results.
 */
import { modeledEnvironment } from "@waggle/agent/environments";
import { environmentNamed } from "@waggle/environments";
import { ScriptedPolicy } from "@waggle/testing";
import { expect, test } from "vitest";
import { changedEnvironment } from "./changed-environment.ts";
import { demonstrations } from "./demonstration.ts";
import { trainEnvironmentText } from "../pretrain/environment-text.ts";
import { tinyEngines } from "../expectations/recipe-update.fixture.ts";
import { fitWorldModel, type OnFitStep, worldLesson } from "./world-model.ts";

const spec = environmentNamed("form");
const signal = new AbortController().signal;

/** Small models with this text format, and logged rollouts. */
async function logged() {
  const sizes = { vocabularySize: 448, contextLength: 1024 };
  const { chat: format } = await trainEnvironmentText(spec, {
    seed: 1,
    count: 60,
    mistakes: 0.3,
    ...sizes,
  });
  const tasks = Array.from({ length: 48 }, (_, i) => spec.reference(i * 31, "train", i % 3));
  const policy = new ScriptedPolicy({ turns: [], ...sizes });
  const trajectories = await demonstrations({ policy, format, spec }, tasks, 0.35, 3);
  const lessons = trajectories.map((trajectory, i) => ({
    trajectory,
    request: spec.task(tasks[i] as (typeof tasks)[number]).request,
  }));
  return { format, lessons, sizes };
}

test("only the environment's text is learned, and a lesson has the format of a later query", async () => {
  const { format, lessons, sizes } = await logged();
  const [{ trajectory, request } = { trajectory: null, request: "" }] = lessons.filter(
    (lesson) => lesson.trajectory.turns.length > 2 && lesson.trajectory.record.terminated,
  );
  if (trajectory === null) throw new Error("no trajectory");
  const { tokenIds, lossMask } = worldLesson(trajectory, request, "", format);
  const said = format.decodeAssistant(tokenIds.filter((_, t) => lossMask[t]));
  const results = trajectory.turns.flatMap(({ toolResults }) =>
    toolResults.map((result) => (result.ok ? String(result.value) : `! ${result.error.message}`)),
  );
  const verdict = trajectory.verification.success ? "yes" : "no";
  expect(said).toBe([...results, verdict].join(""));

  const answers = [...results, verdict].map((text) => format.encodeAssistant(text));
  const policy = new ScriptedPolicy({ turns: answers, ...sizes });
  const conversation = await modeledEnvironment(policy, format)(request, 1);
  for (const { toolCalls, toolResults } of trajectory.turns) {
    for (const [i, call] of toolCalls.entries()) {
      expect(await conversation.answer(call, signal)).toMatchObject({ ok: toolResults[i]?.ok });
    }
  }
  expect(await conversation.verdict("", signal)).toBe(trajectory.verification.success);
  expect(policy.contexts[0]?.tokenIds).toEqual(tokenIds);
});

test("a model of the environment learns tool results; without training steps it does not", async () => {
  const { format, lessons } = await logged();
  const taught = lessons.map(({ trajectory, request }) =>
    worldLesson(trajectory, request, "", format),
  );
  const { engine, reference, dispose } = await tinyEngines();
  try {
    const fit = { steps: 40, batchSize: 8, seed: 1, contextLength: 1024 };
    const losses: number[] = [];
    const onStep: OnFitStep = (step, { loss = Number.NaN }) => (losses[step - 1] = loss);
    const learned = await fitWorldModel(
      engine,
      taught,
      { ...fit, learningRate: 1e-2, onStep },
      signal,
    );
    const still = { ...fit, steps: 2, learningRate: 0 };
    const untaught = await fitWorldModel(reference, taught, still, signal);
    expect(untaught).toBeGreaterThan(4);
    expect(learned).toBeLessThan(1);
    expect([losses.length, losses.at(-1)]).toEqual([40, learned]);
  } finally {
    await dispose();
  }
});

test("the policy reads the model's results, and the verifier judges the real calls", async () => {
  const task = spec.reference(33, "train", 0);
  const heard: string[] = [];
  const worldModel = async () => ({
    answer: async ({ id, name }: { id: string; name: string }) => {
      heard.push(name);
      return { callId: id, ok: true as const, value: "imagined" };
    },
    hear: () => {},
    verdict: async () => false,
    dispose: () => heard.push("disposed"),
  });
  const change = { kind: "simulated", by: "world-model", share: 1, judges: true } as const;
  const options = {
    spec,
    task,
    taskSeed: 1,
    seed: 2,
    worldModels: { "world-model": worldModel },
  };
  const instance = changedEnvironment(change, options)(spec.create(task));
  await instance.environment.observe();
  const act = await spec.demonstrator(task, () => 0.5, 0);
  let ended = false;
  let calls = 0;
  while (!ended) {
    const { calls: predicted } = act(null);
    const toolCalls = predicted.map((call) => ({ id: `c${(calls += 1)}`, ...call }));
    const { toolResults, terminated } = await instance.environment.step(
      { text: "", toolCalls },
      signal,
    );
    expect(toolResults.every((result) => result.ok && result.value === "imagined")).toBe(true);
    ended = terminated;
  }
  expect(await instance.judge(null)).toMatchObject({
    success: true,
    parts: { answered: calls, verdict: false },
  });
  expect(heard.filter((name) => name === "disposed")).toHaveLength(1);
});
