/**
 * Carries a rollout plan out: episodes in groups, by the plan's kind. It asks the policy and the
 * environments of one family; what is learned from the episodes is none of its business.
 */
import { FAMILY_VARIANTS, type Judgement, type TaskFamily } from "@waggle/environments";
import { type EpisodeGroup, type Episode, type RolloutPlan, toEpisode } from "@waggle/learning";
import type { Environment, Sampling, TaskReference, Trajectory } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { derivedSeed, seededRandom } from "../random.ts";
import type { Reader } from "./attempt-reading.ts";
import { demonstratedAttempt } from "./demonstrated-attempt.ts";
import { drawnFrom } from "./drawn-from.ts";
import { type ActingPolicy, type AttemptOptions, familyAttempt } from "./family-attempt.ts";
import { loggedEpisodes } from "./logged-episodes.ts";
import { searchedAttempts, stepReplays } from "./searched-attempts.ts";
import { takeover } from "./taken-over.ts";
import { nameOf, taskOf } from "./task-names.ts";

export type CollectParts = {
  readonly policy: ActingPolicy;
  readonly format: ChatFormat;
  readonly family: TaskFamily;
  readonly signal: AbortSignal;
  /** What attempts are given to read; default nothing. */
  readonly reader?: Reader | undefined;
};

export type CollectOptions = {
  readonly sampling: Omit<Sampling, "seed">;
  readonly maxTurns?: number | undefined;
  /** Everything drawn depends on it and on the task's place. */
  readonly seed: number;
  /** Published versions since the weights that the policy now has. */
  readonly staleness: number;
};

/** Tokens after a turn's beginning whose entropy says how sure the policy is. */
const ENTROPY_TOKENS = 8;

/** @param stored earlier episodes, for plans that go on from some; newest last. */
export async function collect(
  plan: RolloutPlan,
  tasks: readonly TaskReference[],
  stored: readonly Episode[],
  parts: CollectParts,
  options: CollectOptions,
): Promise<EpisodeGroup[]> {
  switch (plan.kind) {
    case "group":
      return byTask(tasks, (task, at) =>
        many(plan.size, (i) => {
          const mode = plan.modes?.[i % plan.modes.length];
          const around = plan.explains === true ? { around: explaining } : {};
          return attempt(
            parts,
            options,
            task,
            [at, i],
            mode === undefined ? around : { ...told(mode), mode },
          );
        }),
      );
    case "demos":
      return byTask(tasks, async (task, at) => [
        ...(await many(plan.students ?? 0, (i) =>
          attempt(parts, options, task, [at, i], { role: "student" }),
        )),
        ...(await many(plan.size, (i) => demonstration(plan, parts, options.seed, task, at, i))),
      ]);
    case "branch":
      return byTask(tasks, (task, at) => branches(plan, parts, options, task, at));
    case "tree":
      return byTask(tasks, (task, at) =>
        searchedAttempts(
          plan,
          nameOf(task),
          stored,
          (i) => (how) => attempt(parts, options, task, [at, i], how),
        ),
      );
    case "pivot":
      return pivots(plan.size, tasks.length, stored, parts, options);
    case "prefix":
      return prefixes(plan, tasks.length, stored, parts, options);
    case "retry":
      return byTask(tasks, (task, at) =>
        many(plan.size, (i) =>
          attempt(parts, options, task, [at, i], {
            around: (environment, judge) => retrying(environment, judge, plan.guidance),
          }),
        ),
      );
    case "log":
      return loggedEpisodes(plan, stored, tasks.length, options.seed, (episode, place, how) =>
        attempt(parts, options, taskOf(episode), place, how),
      );
    case "takeover":
      return byTask(tasks, (task, at) =>
        many(plan.size, (i) => takenOver(plan, parts, options, task, [at, i])),
      );
    case "noise":
    case "none":
      return [];
  }
}

/** Demonstrators, sentences and forms take turns. */
async function demonstration(
  plan: Omit<Extract<RolloutPlan, { kind: "demos" }>, "kind">,
  { family, format, policy }: CollectParts,
  seed: number,
  task: TaskReference,
  at: number,
  i: number,
): Promise<Episode> {
  const { size, mistakes, modes = [], forms = [], names = [], neighbors } = plan;
  const makers = typeof mistakes === "number" ? [mistakes] : mistakes;
  const maker = at * size + i;
  const mode = modes[(at + i) % modes.length] ?? null;
  const form = forms[i % forms.length] ?? "task";
  const { trajectory, verification } = await demonstratedAttempt(
    form === "task" ? family : FAMILY_VARIANTS[form](family),
    neighbors === true
      ? family.reference(derivedSeed(seed, at, i, 0x4e), "train", family.levelOf(task))
      : task,
    format,
    {
      random: seededRandom(seed, at, i),
      mistakes: makers[maker % makers.length] ?? 0,
      contextLength: policy.contextLength,
      ...(mode === null ? {} : { around: told(mode).around }),
    },
  );
  const role = names[maker % names.length] ?? (form === "task" ? "policy" : form);
  return toEpisode(trajectory, verification, {
    mode,
    role,
    ...rewardsOf(trajectory, verification),
  });
}

async function byTask(
  tasks: readonly TaskReference[],
  run: (task: TaskReference, at: number) => Promise<Episode[]>,
): Promise<EpisodeGroup[]> {
  const groups: EpisodeGroup[] = [];
  for (const [at, task] of tasks.entries()) {
    groups.push({ task: nameOf(task), episodes: await run(task, at) });
  }
  return groups;
}

async function many(count: number, run: (i: number) => Promise<Episode>): Promise<Episode[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => run(i)));
}

async function attempt(
  { policy, format, family, reader, signal }: CollectParts,
  { sampling, maxTurns, seed, staleness }: CollectOptions,
  task: TaskReference,
  place: readonly number[],
  more: Partial<AttemptOptions> & Partial<Pick<Episode, "branch" | "role" | "mode">> = {},
): Promise<Episode> {
  const { branch = null, role = "policy", mode = null, ...attemptOptions } = more;
  const reading = reader?.(place[0] ?? 0) ?? null;
  const { trajectory, verification } = await familyAttempt(
    policy,
    format,
    family,
    task,
    {
      ...{ sampling, maxTurns, seed: derivedSeed(seed, ...place), ...attemptOptions },
      guide: reading?.guide,
    },
    signal,
  );
  return toEpisode(trajectory, verification, {
    read: reading?.before() ?? null,
    staleness,
    branch,
    role,
    mode,
    ...rewardsOf(trajectory, verification),
  });
}

/** Whole episodes first; then branches at the turns that the plan picks, until the group is full. */
async function branches(
  plan: Extract<RolloutPlan, { kind: "branch" }>,
  parts: CollectParts,
  options: CollectOptions,
  task: TaskReference,
  at: number,
): Promise<Episode[]> {
  const episodes = await many(Math.min(plan.whole, plan.size), (i) =>
    attempt(parts, options, task, [at, i]),
  );
  const random = seededRandom(options.seed, at, 0xb4a);
  let inARow = 0;
  for (const root of episodes.slice()) {
    const entropies = turnEntropies(root.trajectory);
    for (let turn = 1; turn < entropies.length && episodes.length < plan.size; turn += 1) {
      if (!plan.branchAt(entropies.slice(0, turn + 1), inARow, random)) {
        inARow = 0;
        continue;
      }
      inARow += 1;
      episodes.push(
        await attempt(parts, options, task, [at, episodes.length], {
          from: { trajectory: root.trajectory, turns: turn },
          branch: { episode: root.id, turn },
        }),
      );
    }
  }
  // What found no place to branch is spent on whole episodes.
  while (episodes.length < plan.size) {
    episodes.push(await attempt(parts, options, task, [at, episodes.length]));
  }
  return episodes;
}

/** Single turns of stored episodes, each a group of actions of the policy as it is now. */
async function pivots(
  size: number,
  count: number,
  stored: readonly Episode[],
  parts: CollectParts,
  options: CollectOptions,
): Promise<EpisodeGroup[]> {
  const turns = stored.flatMap((episode) =>
    episode.trajectory.turns.flatMap((original, turn) =>
      original.toolCalls.length > 0 ? [{ episode, turn, original }] : [],
    ),
  );
  const groups: EpisodeGroup[] = [];
  for (const [at, { episode, turn, original }] of drawnFrom(turns, count, options.seed).entries()) {
    const task = taskOf(episode);
    const episodes = await many(size, (i) =>
      attempt(parts, { ...options, maxTurns: turn + 1 }, task, [at, i], {
        from: { trajectory: episode.trajectory, turns: turn },
        branch: { episode: episode.id, turn, original },
      }),
    );
    groups.push({ task: `${nameOf(task)}/${episode.id}/${turn}`, episodes });
  }
  return groups;
}

async function prefixes(
  plan: Extract<RolloutPlan, { kind: "prefix" }>,
  count: number,
  stored: readonly Episode[],
  parts: CollectParts,
  options: CollectOptions,
): Promise<EpisodeGroup[]> {
  const wanted = stored.filter(
    ({ verification, trajectory }) =>
      verification.success === (plan.source === "expert") && trajectory.turns.length > 1,
  );
  const random = seededRandom(options.seed, 0x9f1);
  const groups: EpisodeGroup[] = [];
  for (const [at, episode] of drawnFrom(wanted, count, options.seed).entries()) {
    const task = taskOf(episode);
    const turns = 1 + Math.floor(random() * (episode.trajectory.turns.length - 1));
    if (plan.continuations !== undefined) {
      const replay = (i: number) => (how: Parameters<typeof attempt>[4]) =>
        attempt(parts, options, task, [at, i], how);
      groups.push(await stepReplays(episode, turns, plan.continuations, replay));
      continue;
    }
    const episodes = await many(plan.size, (i) =>
      attempt(parts, options, task, [at, i], {
        from: { trajectory: episode.trajectory, turns },
        branch: { episode: episode.id, turn: turns },
      }),
    );
    groups.push({ task: `${nameOf(task)}/${episode.id}/${turns}`, episodes });
  }
  return groups;
}

/** Attempts in which a person steps in where the plan says. */
async function takenOver(
  plan: Extract<RolloutPlan, { kind: "takeover" }>,
  parts: CollectParts,
  options: CollectOptions,
  task: TaskReference,
  place: readonly number[],
): Promise<Episode> {
  const { family, format, policy } = parts;
  const seed = derivedSeed(options.seed, ...place);
  const { actors, around, policy: shared } = await takeover(plan, family, task, format, seed);
  const taken = { ...parts, policy: shared(policy) };
  return { ...(await attempt(taken, options, task, place, { around })), actors };
}

/** A failed attempt hears of it once and goes on. */
function retrying(
  environment: Environment,
  judge: Parameters<NonNullable<AttemptOptions["around"]>>[1],
  guidance: string,
): Environment {
  let told = false;
  return {
    task: environment.task,
    observe: () => environment.observe(),
    async step(action, signal) {
      // A turn in words would end the task: it is judged before the environment hears it.
      if (told || action.toolCalls.length > 0 || judge(action.text).success) {
        return environment.step(action, signal);
      }
      told = true;
      return { toolResults: [], userMessage: guidance, terminated: false };
    },
  };
}

/** The same environment with a sentence more at its beginning. */
function told(mode: string): { readonly around: (environment: Environment) => Environment } {
  return {
    around: (environment) => ({
      task: environment.task,
      async observe() {
        const first = await environment.observe();
        return { ...first, system: `${first.system} ${mode}`.trim() };
      },
      step: (action, signal) => environment.step(action, signal),
    }),
  };
}

/** Says after a failed call what each tool takes. */
function explaining(environment: Environment): Environment {
  let usage = "";
  return {
    task: environment.task,
    async observe() {
      const first = await environment.observe();
      usage = first.tools
        .map(
          ({ name, parameters }) =>
            `${name}(${Object.keys(parameters.properties ?? {}).join(", ")})`,
        )
        .join(", ");
      return first;
    },
    async step(action, signal) {
      const observation = await environment.step(action, signal);
      return {
        ...observation,
        toolResults: observation.toolResults.map((result) =>
          result.ok
            ? result
            : {
                ...result,
                error: { ...result.error, message: `${result.error.message}; try ${usage}` },
              },
        ),
      };
    },
  };
}

/** `[turns]` mean entropy of the first tokens of each turn, in nats. */
function turnEntropies({ turns, segments }: Trajectory): number[] {
  return turns.map(({ segmentId }) => {
    const segment = segments.find(({ id }) => id === segmentId);
    const first = segment?.kind === "sampled" ? segment.entropies.slice(0, ENTROPY_TOKENS) : [];
    return first.reduce((sum, entropy) => sum + entropy, 0) / Math.max(1, first.length);
  });
}

/** Rewards of single turns, given for those whose calls reached the world: the others earned 0. */
function rewardsOf(
  { turns }: Trajectory,
  { turnRewards }: Judgement,
): { turnRewards?: readonly number[] } {
  if (turnRewards === undefined) return {};
  const left = [...turnRewards];
  return {
    turnRewards: turns.map(({ toolCalls }) => (toolCalls.length > 0 ? (left.shift() ?? 0) : 0)),
  };
}
