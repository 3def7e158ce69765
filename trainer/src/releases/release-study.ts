/** Simulates releases of better, equal and worse candidates, and counts the decisions. */
import { setImmediate } from "node:timers/promises";
import {
  mean,
  neededExposure,
  RELEASE_DEFAULTS,
  type ReleasePlan,
  releaseRule,
} from "@waggle/evaluation";
import { derivedSeed } from "@waggle/protocol";
import {
  ANSWERS,
  BASES,
  DRIFTING,
  EFFECTS,
  FREQUENT,
  type NamedPopulation,
  RETURNING,
  SINGLE,
} from "./populations.ts";
import { type Rule, type SimulatedRelease, simulateRelease, SOLVED } from "./simulated-release.ts";
import { type TestPower, testPowers } from "./test-powers.ts";
import { withoutStages } from "./without-stages.ts";

/** Decisions of many releases with one population and effect. */
export type ReleaseOutcomes = {
  readonly population: string;
  readonly base: number;
  readonly effect: number;
  /** Requests of both arms after which a release ends. */
  readonly horizon: number;
  readonly releases: number;
  /** Rolled back within the exposure of the plan. */
  readonly rolledBackInTime: number;
  readonly rolledBack: number;
  readonly better: number;
  readonly noWorse: number;
  /** Requests of the candidate until the end, mean over the releases. */
  readonly exposure: number;
  /** Requests of both arms until the end, mean over the releases. */
  readonly requests: number;
};

/** Another way to decide about equal candidates; it breaks the bar. */
type ControlOutcomes = Pick<ReleaseOutcomes, "population" | "base" | "releases" | "rolledBack"> & {
  readonly control: string;
};

/** The fewest requests of the candidate from which any test can meet the bars at a base rate. */
type NeededExposure = {
  readonly population: string;
  readonly base: number;
  readonly exposure: number;
};

/** All results. */
export type ReleaseReport = {
  readonly seed: number;
  readonly effects: readonly ReleaseOutcomes[];
  readonly populations: readonly ReleaseOutcomes[];
  readonly exposures: readonly (ReleaseOutcomes & { readonly limit: number })[];
  readonly needed: readonly NeededExposure[];
  readonly tests: readonly TestPower[];
  readonly controls: readonly ControlOutcomes[];
};

/** Options of `studyReleases`. */
export type ReleaseStudyOptions = {
  readonly seed: number;
  /** Releases per effect. Of equal candidates, five times as many. */
  readonly releases: number;
  readonly signal: AbortSignal;
  readonly onProgress: (finished: number, total: number) => void;
};

const PLAN: ReleasePlan = { ...RELEASE_DEFAULTS, primary: { name: SOLVED } };
/** For a metric that one request in ten has. */
const LONG: ReleasePlan = {
  ...PLAN,
  horizon: 100_000,
  primary: { name: SOLVED, responseRate: ANSWERS.responseRate },
};
/** Of the bars. */
const HARM = 0.1;

/** The table of the bars has this many times as many releases as the bars ask for, so that chance decides less. */
const MORE = 5;

type Cell = {
  /** How many times as many releases as usual. */
  readonly times?: number;
  readonly population: NamedPopulation;
  readonly base: number;
  readonly effect: number;
  readonly plan: ReleasePlan;
  readonly rule: Rule;
  readonly countsRequests?: boolean;
};

/** @throws the signal's reason after an abort. */
export async function studyReleases(options: ReleaseStudyOptions): Promise<ReleaseReport> {
  const { seed, releases, signal, onProgress } = options;
  const effects = [SINGLE, RETURNING].flatMap((population) =>
    BASES.flatMap((base) =>
      EFFECTS.map((effect) => {
        const isBar = effect === 0 || Math.abs(effect) === HARM;
        return { ...cell(population, base, effect), times: isBar ? MORE : 1 };
      }),
    ),
  );
  const populations = [FREQUENT, ANSWERS, DRIFTING].flatMap((population) =>
    [-HARM, 0, HARM].map((effect) => cell(population, 0.5, effect)),
  );
  const long = [-HARM, 0, HARM].map((effect) => cell(ANSWERS, 0.5, effect, LONG));
  const rare = [0.05, 0.95].map((base) => cell(RETURNING, base, 0));
  const exposures = [0.055, 0.06, 0.065, 0.07].flatMap((limit) =>
    [-HARM, 0].map((effect) => ({
      ...cell(RETURNING, 0.5, effect, planFor(limit)),
      times: effect === 0 ? 1 : MORE,
    })),
  );
  const controls = [
    { control: "every request counts as a visitor", cell: requestsAsVisitors() },
    { control: "stages are added up", cell: pooledStages() },
  ];
  const compared = [SINGLE, RETURNING];

  let finished = 0;
  const total =
    effects.length +
    populations.length +
    long.length +
    rare.length +
    exposures.length +
    controls.length +
    compared.length;
  const next = async <Result>(run: (seed: number) => Result | Promise<Result>): Promise<Result> => {
    await untilIdle(signal);
    const result = await run(derivedSeed(seed, finished));
    finished += 1;
    onProgress(finished, total);
    return result;
  };
  const all = async (cells: readonly Cell[]): Promise<ReleaseOutcomes[]> => {
    const outcomes: ReleaseOutcomes[] = [];
    for (const one of cells) outcomes.push(await next((s) => outcomesOf(one, releases, s, signal)));
    return outcomes;
  };

  const found = {
    seed,
    effects: await all(effects),
    populations: await all([...populations, ...long, ...rare]),
    exposures: (await all(exposures)).map((outcomes, i) => ({
      limit: exposures[i]?.plan.exposure ?? 0,
      ...outcomes,
    })),
    needed: neededExposures(),
  };
  const tests: TestPower[] = [];
  for (const population of compared) {
    tests.push(
      ...(await next((s) => testPowers(population, PLAN, { harm: HARM, releases, seed: s }))),
    );
  }
  const broken: ControlOutcomes[] = [];
  for (const { control, cell: one } of controls) {
    const [outcomes] = await all([one]);
    if (outcomes === undefined) continue;
    const { population, base, releases: of, rolledBack } = outcomes;
    broken.push({ control, population, base, releases: of, rolledBack });
  }
  return { ...found, tests, controls: broken };
}

function cell(
  population: NamedPopulation,
  base: number,
  effect: number,
  plan: ReleasePlan = PLAN,
): Cell {
  return { population, base, effect, plan, rule: releaseRule(plan) };
}

/** The plan with another limit on the exposure, and as much more of it at the share of 10 %. */
function planFor(exposure: number): ReleasePlan {
  const stages = PLAN.stages.map((stage) =>
    stage.share === 0.1 ? { ...stage, exposure: stage.exposure + exposure - PLAN.exposure } : stage,
  );
  return { ...PLAN, exposure, stages };
}

function requestsAsVisitors(): Cell {
  return { ...cell(FREQUENT, 0.5, 0), countsRequests: true };
}

function pooledStages(): Cell {
  const decide = releaseRule(PLAN);
  const rule: Rule = (counts) => decide(withoutStages(counts));
  return { ...cell(DRIFTING, 0.5, 0), rule };
}

/** Lets an interrupt through. @throws the signal's reason after an abort. */
async function untilIdle(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

/** Releases between two checks for an abort. */
const UNINTERRUPTED = 100;

/** The decisions about one kind of candidate. */
async function outcomesOf(
  one: Cell,
  releases: number,
  seed: number,
  signal: AbortSignal,
): Promise<ReleaseOutcomes> {
  const { population, base, effect, plan, rule, times = 1, countsRequests = false } = one;
  const count = times * releases * (effect === 0 ? 5 : 1);
  const results: SimulatedRelease[] = [];
  for (let i = 0; i < count; i += 1) {
    if (i % UNINTERRUPTED === 0) await untilIdle(signal);
    const options = {
      seed: derivedSeed(seed, i),
      requests: plan.horizon,
      firstShare: plan.stages[0]?.share ?? 0,
      rule,
      countsRequests,
    };
    results.push(simulateRelease({ ...population, base, effect }, options));
  }
  const rolledBack = results.filter(({ decision }) => decision.action === "roll back");
  const promoted = results.flatMap(({ decision }) =>
    decision.action === "promote" ? [decision.because] : [],
  );
  const limit = plan.exposure * plan.horizon;
  return {
    population: population.name,
    base,
    effect,
    horizon: plan.horizon,
    releases: count,
    rolledBackInTime: rolledBack.filter(({ exposure }) => exposure <= limit).length,
    rolledBack: rolledBack.length,
    better: promoted.filter((because) => because === "better").length,
    noWorse: promoted.filter((because) => because === "no worse").length,
    exposure: Math.round(mean(results.map(({ exposure }) => exposure))),
    requests: Math.round(mean(results.map(({ requests }) => requests))),
  };
}

/** Bars of the issue: a false alarm in at most 1 %, an alarm in at least 95 %. */
function neededExposures(): NeededExposure[] {
  return [SINGLE, RETURNING, FREQUENT].flatMap((population) =>
    BASES.map((base) => ({
      population: population.name,
      base,
      exposure: neededExposure({
        requests: PLAN.horizon,
        base,
        effect: HARM,
        requestsPerVisitor: population.requestsPerVisitor,
        correlation: population.correlation,
        falseAlarm: PLAN.falseRollback,
        power: 0.95,
      }),
    })),
  );
}
