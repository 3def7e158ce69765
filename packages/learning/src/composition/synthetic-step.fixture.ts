/** Runs one step of a stage on seeded numbers instead of a model, and records groups, advantages and losses. */
import { hashText, seededRandom, WaggleError } from "@waggle/protocol";
import { planMinibatch } from "./minibatch.ts";
import type { AdvantageRows, Minibatch, PartContext, PartPorts } from "./part.ts";
import { type Kept, rewardGroups } from "./reward-groups.ts";
import { initialValues, settingsAt, type Stage } from "./stage.ts";
import { syntheticGroups } from "./synthetic-groups.fixture.ts";

const ROLES = ["policy", "solver", "proposer", "opponent", "reference", "expert", "retold"];
const SIGNAL = new AbortController().signal;

/** A number in [0, 1) that depends only on the text. */
const shareOf = (text: string): number => (hashText(text) % 1000) / 1000;

function portsOf(random: () => number): PartPorts {
  return {
    judge: { reward: async ({ transcript }) => shareOf(transcript) },
    structure: new Set([1, 2, 3]),
    answerLogProbs: async ({ turns }) => [0, ...turns.map((_, t) => t + 1)].map((t) => -3 + t / 2),
    tasks: {
      harder: (task) => ({ ...task, seed: task.seed + 1 }),
      sibling: (task, nth) => ({ ...task, seed: task.seed + 10 + nth }),
    },
    describe: ({ id, turns }) => ({
      request: `task of ${id}`,
      transcript: `${turns.length} turns`,
    }),
    rm: async (trajectories) => trajectories.map(({ turns }) => turns.map(() => random() - 0.5)),
    iprm: async (trajectories) =>
      trajectories.map(({ samples }) => ({
        model: samples.map(({ lossMask }) => lossMask.map(() => -random())),
        reference: samples.map(({ lossMask }) => lossMask.map(() => -random())),
      })),
  };
}

/** A summary in one line, and all numbers. */
export type SyntheticStep = { readonly line: string; readonly all: unknown };

export async function syntheticStep(stage: Stage, seed: number): Promise<SyntheticStep> {
  const random = seededRandom(seed, 77);
  const roles = [
    ...new Set([
      ...ROLES,
      ...Object.values(stage.state).flatMap(({ roles: own }) => own?.names ?? []),
    ]),
  ];
  const context: PartContext = {
    step: 2,
    steps: 5,
    random,
    state: initialValues(stage, {}),
    ports: portsOf(random),
    signal: SIGNAL,
  };
  // Recorded digests call the strategy's name `kind`.
  const plan = resultOf(() => {
    const { name: kind, options } = stage.rollout.strategy(context);
    return { kind, ...options };
  });
  const settings = [0, 2, 4].map((step) => resultOf(() => settingsAt(stage, { ...context, step })));
  const mode = "Think first.";
  const kept = await promisedResultOf(() =>
    rewardGroups(stage, syntheticGroups(random, roles, mode), context),
  );
  if (typeof kept === "string") {
    return { line: `${stage.name}: ${kept}`, all: { plan, settings } };
  }
  const count = kept.groups.reduce((sum, { trajectories }) => sum + trajectories.length, 0);
  const estimated = resultOf(() => estimateOf(stage, kept, context));
  const losses =
    typeof estimated === "string" ? estimated : lossesOf(stage, kept, estimated, context);
  const shown =
    typeof losses === "string"
      ? losses
      : losses
          .map((loss) => (typeof loss === "string" ? loss : loss.loss.toPrecision(5)))
          .join(" ");
  return {
    line: `${stage.name}: kept ${count}, pairs ${kept.pairs.length}, loss ${shown}`,
    all: { plan, settings, kept, estimated, losses },
  };
}

function estimateOf(stage: Stage, kept: Kept, context: PartContext) {
  const { random } = context;
  const rows = (low: number, high: number): AdvantageRows =>
    new Map(
      kept.groups.flatMap(({ trajectories }) =>
        trajectories.map(({ trajectory: { id, samples } }) => [
          id,
          samples.map(({ lossMask }) => lossMask.map(() => low + (high - low) * random())),
        ]),
      ),
    );
  const logProb = rows(-2, -0.05);
  return stage.advantage?.estimate(kept.groups, {
    ...context,
    state: { ...context.state, ...kept.state },
    outputs: { logProb, sumSquaredProb: rows(0.1, 0.9) },
    values: rows(-0.5, 0.5),
    finalValues: new Map([...logProb].map(([id, own]) => [id, own.map(() => random() - 0.5)])),
  });
}

function lossesOf(
  stage: Stage,
  kept: Kept,
  estimated: ReturnType<typeof estimateOf>,
  context: PartContext,
) {
  const { random } = context;
  const planned = resultOf(() =>
    planMinibatch(kept.groups, stage.aggregation, estimated, kept.pairs),
  );
  if (typeof planned === "string") return planned;
  const { rows: _, ...rest } = planned;
  const near = (spread: number): number[][] =>
    planned.behaviorLogProbs.map((row) =>
      Array.from(row, (value) => Math.min(-0.01, value + spread * (random() - 0.5))),
    );
  const candidates = (): Minibatch["candidateLogProbs"] =>
    planned.lossMask.map((row) =>
      row.map((isKept) => (isKept ? [-0.4 - random(), -1.5, -2.5] : null)),
    );
  const values = (): number[][] => planned.lossMask.map((row) => row.map(() => random() - 0.5));
  const minibatch: Minibatch = {
    returns: values(),
    ...rest,
    policyLogProbs: near(1.2),
    proximalLogProbs: near(0.6),
    entropies: planned.lossMask.map((row) => row.map(() => 2 * random())),
    referenceLogProbs: near(0.8),
    teacherLogProbs: near(0.9),
    candidateLogProbs: candidates(),
    teacherCandidateLogProbs: candidates(),
    values: values(),
    proximalValues: values(),
  };
  const state = { ...context.state, ...kept.state, ...estimated?.state };
  return stage.losses.map(({ loss }) =>
    resultOf(() => loss.compute(minibatch, { ...context, state })),
  );
}

/** The result of a part, or the code of its error. */
function resultOf<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    return refusalOf(error);
  }
}

async function promisedResultOf<T>(run: () => Promise<T>): Promise<T | string> {
  return run().catch(refusalOf);
}

function refusalOf(error: unknown): string {
  return WaggleError.is(error) ? error.code : (error as Error).name;
}
