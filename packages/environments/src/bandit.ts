/**
 * A contextual bandit: which lever pays under this light? The best lever depends on the color and not on
 * the shape. Payoffs are drawn with the task, so even the best lever sometimes pays nothing. One turn, no
 * tools. Pulling the best lever is a success, whatever it paid.
 */
import { pick } from "./draw.ts";
import { mulberry32, hashText } from "@waggle/protocol";
import type { Task, TaskReference } from "@waggle/protocol";
import { drawInstance } from "./environment-task.ts";
import { leveledReferences, type EnvironmentSpec } from "./environment-spec.ts";
import { createToolEnvironment } from "./tool-environment.ts";

/** Levers that can be pulled. */
export const LEVERS = ["left", "middle", "right"] as const;
/** Colors of the light. They determine the best lever. */
export const COLORS = ["red", "blue", "green", "white", "black", "pink"] as const;
/** Shapes of the light. They do not matter. */
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
/** Chance that the best lever pays, and that any other lever pays, by level. */
const PAYS = [
  { best: 1, other: 0 },
  { best: 0.9, other: 0.2 },
  { best: 0.7, other: 0.4 },
] as const;

/**
 * Exponent of the demonstrator's mistakes, by level: it errs least where levers always pay the same. On
 * average over the levels it errs about as often as it was asked to.
 */
const DOUBT = [1.5, 1, 0.6] as const;

type BanditInstance = {
  readonly color: (typeof COLORS)[number];
  readonly shape: (typeof SHAPES)[number];
};

function levelOf({ seed }: TaskReference): number {
  return seed % PAYS.length;
}

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
  return { ...reference, kind: color, template: "0", system: "", request: `${color} ${shape}` };
}

/**
 * A bandit under the given environment name. At higher levels, the best lever pays less reliably, so its payoff
 * says less, and a demonstrator makes more mistakes. The request does not tell the level.
 */
export function banditNamed(name: string): EnvironmentSpec {
  return {
    ...leveledReferences(name, PAYS.length),
    maxTurns: 1,
    task: (reference) => task(name, reference),
    create: (reference) => {
      const best = bestLever(instance(name, reference));
      const pays = PAYS[levelOf(reference)] as (typeof PAYS)[number];
      return {
        environment: createToolEnvironment({ task: task(name, reference), tools: {}, state: null }),
        judge: (finalText) => {
          const pulled = LEVERS.find((lever) => lever === (finalText ?? "").trim());
          const chance = pulled === undefined ? 0 : pulled === best ? pays.best : pays.other;
          // The payoff of each lever is drawn with the task: the same pull always pays the same.
          const draw = mulberry32(hashText(`${name}/${reference.seed}/${pulled ?? ""}`))();
          return {
            reward: draw < chance ? 1 : 0,
            success: pulled === best,
            parts: { pulled: pulled ?? "", best },
          };
        },
      };
    },
    demonstrator: (reference, random, mistakes) => () => ({
      text:
        random() < mistakes ** (DOUBT[levelOf(reference)] as number)
          ? pick(random, LEVERS)
          : bestLever(instance(name, reference)),
      calls: [],
    }),
  };
}

/** The bandit as an environment of its own. */
export const BANDIT: EnvironmentSpec = banditNamed("bandit");
