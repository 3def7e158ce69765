/**
 * A contextual bandit: which lever pays under this light? The color decides, the shape does not; the pay
 * is drawn with the task, so also the right lever sometimes pays nothing. One turn, no tool. Success is the
 * lever that pays best, whatever it paid.
 */
import type { Task, TaskReference } from "@waggle/protocol";
import { drawInstance } from "./environment-task.ts";
import { createRandom, hashText, pick } from "./random.ts";
import { leveledReferences, type EnvironmentSpec } from "./environment-spec.ts";
import { createToolEnvironment } from "./tool-environment.ts";

export const LEVERS = ["left", "middle", "right"] as const;
export const COLORS = ["red", "blue", "green", "white", "black", "pink"] as const;
export const SHAPES = [
  "square",
  "circle",
  "star",
  "cross",
  "moon",
  "ring",
  "heart",
  "cone",
] as const;
/** Chance that the best lever pays, and that another does, by level. */
const PAYS = [
  { best: 1, other: 0 },
  { best: 0.9, other: 0.2 },
  { best: 0.7, other: 0.4 },
] as const;

type BanditInstance = {
  readonly color: (typeof COLORS)[number];
  readonly shape: (typeof SHAPES)[number];
};

function instance(name: string, reference: TaskReference): BanditInstance {
  return drawInstance(
    name,
    reference,
    (random) => ({ color: pick(random, COLORS), shape: pick(random, SHAPES) }),
    ({ color, shape }) => `${color}/${shape}`,
  );
}

function bestLever({ color }: BanditInstance): (typeof LEVERS)[number] {
  return LEVERS[COLORS.indexOf(color) % LEVERS.length] as (typeof LEVERS)[number];
}

function task(name: string, reference: TaskReference): Task {
  const { color, shape } = instance(name, reference);
  const kind = color;
  return { ...reference, family: kind, template: "0", system: "", request: `${color} ${shape}` };
}

/** Levels are how surely the best lever pays. @param name - of the environment. */
export function banditNamed(name: string): EnvironmentSpec {
  return {
    ...leveledReferences(name, PAYS.length),
    maxTurns: 1,
    task: (reference) => task(name, reference),
    create: (reference) => {
      const best = bestLever(instance(name, reference));
      const pays = PAYS[reference.seed % PAYS.length] as (typeof PAYS)[number];
      return {
        environment: createToolEnvironment({ task: task(name, reference), tools: {}, state: null }),
        judge: (finalText) => {
          const pulled = LEVERS.find((lever) => lever === (finalText ?? "").trim());
          const chance = pulled === undefined ? 0 : pulled === best ? pays.best : pays.other;
          // The pay of each lever is drawn with the task: the same pull is paid the same again.
          const draw = createRandom(hashText(`${name}/${reference.seed}/${pulled ?? ""}`))();
          return {
            reward: draw < chance ? 1 : 0,
            success: pulled === best,
            parts: { pulled: pulled ?? "", best },
          };
        },
      };
    },
    demonstrator: (reference, random, mistakes) => () => ({
      text: random() < mistakes ? pick(random, LEVERS) : bestLever(instance(name, reference)),
      calls: [],
    }),
  };
}

export const BANDIT: EnvironmentSpec = banditNamed("bandit");
