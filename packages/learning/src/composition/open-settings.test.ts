import { expect, test } from "vitest";
import * as parts from "../parts.ts";
import { oneOf, recipe } from "./definition.ts";
import { partDefinition } from "./part-options.ts";
import { rewardStage, type Stage, tokenStage } from "./stage.ts";

const TOY = { name: "toy", literature: "ARTIST", differs: [], schedule: [] } as const;

const demonstrated = (name: string): Stage =>
  tokenStage({
    name,
    rollout: parts.demos(),
    losses: [parts.crossEntropy()],
    settings: { tasksPerStep: 32 },
  });

const reinforced = (epsilon?: number): Stage =>
  rewardStage({
    rollout: parts.group(4),
    reward: parts.outcome(),
    advantage: parts.entropyWeighted(parts.groupAdvantage(), { form: "scaled", alpha: 0.2 }),
    losses: [parts.spanMask(parts.pgClip(epsilon))],
  });

test("options left at their defaults are settings; options that the recipe sets are not", () => {
  const create = recipe({
    ...TOY,
    settings: { epsilon: 0.1 },
    stages: ({ epsilon }) => [reinforced(epsilon)],
  });
  expect(create().settings).toEqual({
    epsilon: 0.1,
    outcome: "score",
    scale: "population",
    spanTurns: "all",
    tasks: 16,
    epochs: 1,
    minibatches: 1,
  });
  expect(create().choices).toEqual({
    outcome: ["score", "success"],
    scale: ["population", "sample", "none"],
    spanTurns: ["all", "ran", "right", "last"],
  });
  const { stages } = create({ scale: "none", tasks: 3, epsilon: 0.3 });
  const [stage] = stages as [Stage];
  const [weighted] = stage.advantage?.around ?? [];
  const [clip] = stage.losses[0]?.loss.around ?? [];
  expect(weighted && partDefinition(weighted)?.options["scale"]?.value).toBe("none");
  expect(clip && partDefinition(clip)?.options["epsilon"]?.value).toBe(0.3);
  expect(stage.settings.tasksPerStep).toBe(3);
});

test("an option gets a setting per stage if stages differ or the recipe uses its name", () => {
  const create = recipe({
    ...TOY,
    settings: { lossTurns: true },
    stages: () => [demonstrated("first look"), reinforced()],
  });
  const { settings, stages } = create({ "first-look.lossTurns": "last", "rewards.tasks": 5 });
  expect(settings).toEqual({
    lossTurns: true,
    mistakes: 0,
    "first-look.lossTurns": "last",
    "first-look.tasks": 32,
    outcome: "score",
    scale: "population",
    spanTurns: "all",
    epsilon: 0.2,
    "rewards.tasks": 5,
    epochs: 1,
    minibatches: 1,
  });
  expect(stages.map((stage) => stage.settings.tasksPerStep)).toEqual([32, 5]);
  expect(() => create({ tasks: 5 })).toThrow(/first-look\.tasks=32.*rewards\.tasks=16/);
});

test("a recipe's own tasks setting holds for every step and must be a whole number", () => {
  const own = recipe({
    ...TOY,
    settings: { tasks: 12 },
    stages: ({ tasks }) => [
      { ...reinforced(), settings: { ...reinforced().settings, tasksPerStep: tasks } },
    ],
  });
  expect(Object.keys(own().settings).filter((name) => name.includes("tasks"))).toEqual(["tasks"]);
  expect(own({ tasks: 7 }).stages[0]?.settings.tasksPerStep).toBe(7);
  const open = recipe({ ...TOY, settings: {}, stages: () => [reinforced()] });
  expect(() => open({ tasks: 2.5 })).toThrow(/whole number of at least 1, got 2\.5/);
});

test("a reward stage's epochs and minibatches are settings; other stages have none", () => {
  const create = recipe({
    ...TOY,
    settings: {},
    stages: () => [demonstrated("start"), reinforced()],
  });
  const [start, rewards] = create({ epochs: 3, minibatches: 2 }).stages;
  expect(rewards?.settings).toMatchObject({ epochs: 3, minibatches: 2 });
  expect(start?.settings).toMatchObject({ epochs: 1, minibatches: 1 });
  expect(() => create({ minibatches: 0 })).toThrow(/minibatches .* at least 1, got 0/);
});

test("a choice defaults to its first value; any other word is refused with the list", () => {
  const create = recipe({
    ...TOY,
    settings: { clips: oneOf("narrow", "wide") },
    stages: ({ clips }) => [reinforced(clips === "wide" ? 0.4 : 0.1)],
  });
  expect(create().settings["clips"]).toBe("narrow");
  expect(create({ clips: "wide" }).settings["clips"]).toBe("wide");
  expect(() => create({ clips: "broad" })).toThrow(
    /setting clips of recipe toy must be one of narrow, wide/,
  );
  expect(() => create({ scale: "std" })).toThrow(/must be one of population, sample, none/);
  expect(() => create({ scale: 1 })).toThrow(/must be one of population, sample, none/);
});

test("parts are the same objects when nothing is set, and a copy has no definition", () => {
  const stage = reinforced();
  const create = recipe({ ...TOY, settings: {}, stages: () => [stage] });
  expect(create().stages[0]).toBe(stage);
  const copied = { ...stage, losses: [{ loss: { ...parts.pgClip() }, weight: 1 }] };
  const other = recipe({ ...TOY, settings: {}, stages: () => [copied] });
  expect(Object.keys(other().settings)).not.toContain("epsilon");
});
