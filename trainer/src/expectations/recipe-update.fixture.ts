/**
 * One update of every stage of a recipe on a real, tiny engine. The acting policy is the
 * environment's demonstrator with mistakes; its log-probs are those of an untrained policy, nearly
 * uniform over the vocabulary.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { ActingPolicy } from "@waggle/agent/environments";
import { createOnnxEngine } from "@waggle/engine";
import type { Demonstrator, EnvironmentSpec, TaskProposals } from "@waggle/environments";
import {
  type JudgedTrajectory,
  type JudgedGroup,
  type PartContext,
  type RolloutStrategy,
  type Recipe,
  settingsAt,
  type Stage,
  type StateValues,
} from "@waggle/learning";
import { type DecoderConfig, initializeDecoder, initializeValueHead } from "@waggle/model";
import type { Observation, PolicyContext, TaskReference, TrainEngine } from "@waggle/protocol";
import type { AdaptivePolicy, Session } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";
import { derivedSeed, seededRandom } from "@waggle/protocol";
import { stageReader } from "../rollouts/rollout-reading.ts";
import { demonstrations } from "../rollouts/demonstration.ts";
import type { DriverParts } from "../rollouts/driver-parts.ts";
import { rolledOut } from "../rollouts/rollout-driver.ts";
import { RoleStore } from "../loop/role-store.ts";
import { describer } from "../rollouts/trajectory-text.ts";
import { runPorts } from "../recipes/run-ports.ts";
import { trainEnvironmentText } from "../pretrain/environment-text.ts";
import { IMAGINED } from "./imagined-environment.fixture.ts";
import { scriptedWriter } from "./scripted-writer.fixture.ts";
import { type StageUpdate, updateStage } from "../update/stage-update.ts";

const VOCABULARY_SIZE = 448;
const CONTEXT_LENGTH = 1024;
/** Share of wrong decisions: about half of the rollouts succeed. */
const MISTAKES = 0.3;
const TASKS = 4;

const CONFIG: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: VOCABULARY_SIZE,
  width: 32,
  layers: 1,
  heads: 1,
  keyValueHeads: 1,
  headSize: 32,
  feedForwardSize: 32,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: CONTEXT_LENGTH,
  ropeScaling: null,
};

/**
 * A tiny engine with a value head, a frozen copy with the same weights, and engines of further
 * models, opened when a recipe first trains one.
 */
export type TinyEngines = {
  readonly engine: TrainEngine;
  readonly reference: TrainEngine;
  readonly models: Map<string, TrainEngine>;
  readonly dispose: () => Promise<void>;
};

/** Opens the engines. */
export async function tinyEngines(): Promise<TinyEngines> {
  const [engine, reference] = [await tinyEngine(), await tinyEngine()];
  const models = new Map<string, TrainEngine>();
  const dispose = async (): Promise<void> => {
    for (const one of [engine, reference, ...models.values()]) await one.dispose();
  };
  return { engine, reference, models, dispose };
}

function tinyEngine(): Promise<TrainEngine> {
  const valueHead = initializeValueHead(CONFIG, { seed: 2 });
  const options = { config: CONFIG, weights: initializeDecoder(CONFIG, 1), threads: 1 };
  return createOnnxEngine({ ...options, trains: "full", valueHead });
}

type Rollout = {
  readonly spec: EnvironmentSpec;
  readonly reference: TaskReference;
  readonly heard: (Observation | null)[];
};

/**
 * An environment that records its rollouts, and a policy that acts as the environment's
 * demonstrator.
 */
export type ActedEnvironment = {
  readonly spec: EnvironmentSpec;
  readonly format: ChatFormat;
  readonly policy: ActingPolicy & Pick<AdaptivePolicy, "setAdapter">;
  /** Versions that were set on the policy, each with the sum of its parameters, 0 for the base. */
  readonly adopted: { readonly version: number; readonly sum: number }[];
  /** Resets the sequence of the policy's rollouts, so that tests do not depend on their order. */
  readonly restart: () => void;
  /** Demonstrations with mistakes, for strategies that continue stored trajectories. */
  readonly stored: readonly JudgedTrajectory[];
};

/** Wraps an environment and records what happens in it. */
export async function actedEnvironment(original: EnvironmentSpec): Promise<ActedEnvironment> {
  const { chat: format } = await trainEnvironmentText(original, {
    seed: 1,
    count: 60,
    vocabularySize: VOCABULARY_SIZE,
    contextLength: CONTEXT_LENGTH,
    mistakes: MISTAKES,
  });
  let latest: Rollout | null = null;
  // A rollout with several contexts opens them while other rollouts start.
  const own = new AsyncLocalStorage<Rollout>();
  let contexts = 0;
  const overheard = (unheard: EnvironmentSpec): EnvironmentSpec => ({
    ...unheard,
    ...(unheard.proposals === undefined
      ? {}
      : { proposals: overheardProposals(unheard.proposals) }),
    ...(unheard.documented === undefined
      ? {}
      : { documented: overheardProposals(unheard.documented) }),
    create: (reference) => {
      const instance = unheard.create(reference);
      const rollout: Rollout = { spec: unheard, reference, heard: [null] };
      latest = rollout;
      own.enterWith(rollout);
      return {
        ...instance,
        environment: {
          task: instance.environment.task,
          observe: () => instance.environment.observe(),
          async step(action, signal) {
            const observation = await instance.environment.step(action, signal);
            rollout.heard.push(observation);
            return observation;
          },
        },
      };
    },
  });
  const overheardProposals = ({ proposer, solver }: TaskProposals): TaskProposals => ({
    proposer: overheard(proposer),
    solver: (text, reference) => {
      const solving = solver(text, reference);
      return solving === null ? null : overheard(solving);
    },
  });
  const spec = overheard(original);
  const adopted: { version: number; sum: number }[] = [];
  const policy: ActedEnvironment["policy"] = {
    baseModel: "0".repeat(64),
    client: { build: "test", backend: "scripted", device: "test", crossOriginIsolated: false },
    contextLength: CONTEXT_LENGTH,
    vocabularySize: VOCABULARY_SIZE,
    get currentVersion() {
      return adopted.at(-1)?.version ?? 0;
    },
    setAdapter: async (version, adapter) => {
      adopted.push({ version, sum: sumOf(adapter?.tensors ?? new Map()) });
    },
    // An environment and its rollout's context are created synchronously, with no await between.
    createContext: () => {
      const rollout = own.getStore() ?? (latest as unknown as Rollout);
      contexts += 1;
      return contextOf(format, rollout, seededRandom(contexts, 0xac7));
    },
    score: ({ tokenIds }) => Promise.resolve(numbersOf(tokenIds.length, seededRandom(1))),
    dispose: () => Promise.resolve(),
  };
  const stored = await demonstrations(
    { policy, format, spec },
    Array.from({ length: 24 }, (_, i) => original.reference(i * 977, "train", i % spec.levels)),
    MISTAKES,
    5,
  );
  const restart = (): void => {
    contexts = 0;
  };
  return { spec, format, policy, adopted, restart, stored };
}

async function contextOf(
  format: ChatFormat,
  { spec, reference, heard }: Rollout,
  random: () => number,
): Promise<PolicyContext & Pick<Session, "activate">> {
  const demonstrator: Demonstrator = await spec.demonstrator(reference, random, MISTAKES);
  const tokenIds: number[] = [];
  let told = 0;
  return {
    policyVersion: 0,
    tokenIds,
    append: (more) => void tokenIds.push(...more),
    generate: async () => {
      let action = { text: "", calls: [] } as ReturnType<Demonstrator>;
      // The script does not observe text that a recipe adds in the environment's place: half of the
      // time it continues anyway.
      if (told === heard.length && random() < 0.5) {
        action = demonstrator({ toolResults: [], terminated: false });
      }
      // Replayed observations come first, so that the script and the environment are in the same
      // state.
      for (; told < heard.length; told += 1) action = demonstrator(heard[told] ?? null);
      const said = format.encodeAssistant(action.text, action.calls);
      tokenIds.push(...said);
      return { tokenIds: said, ...numbersOf(said.length, random), stopReason: "stop-token" };
    },
    activate: () => {},
    adoptCurrentVersion: () => {},
    dispose: () => {},
  };
}

/** Log-probs and entropies of a nearly uniform policy. */
function numbersOf(
  count: number,
  random: () => number,
): { behaviorLogProbs: number[]; rawLogProbs: number[]; entropies: number[] } {
  const logProbs = Array.from(
    { length: count },
    () => -Math.log(VOCABULARY_SIZE) + 0.6 * (random() - 0.5),
  );
  const entropies = logProbs.map(() => Math.log(VOCABULARY_SIZE) * random());
  return { behaviorLogProbs: logProbs, rawLogProbs: logProbs, entropies };
}

/** The record of one stage. */
export type StageRecord = {
  readonly stage: Stage;
  readonly strategy: RolloutStrategy;
  readonly groups: readonly JudgedGroup[];
  readonly update: StageUpdate;
  /** Absolute change of the parameters, summed. */
  readonly moved: number;
  readonly state: StateValues;
  /** All requests to the writer so far. */
  readonly asked: readonly string[];
  /** The stage's updates before this one. */
  readonly earlier: readonly StageRecord[];
};

/** Number of candidate tasks for each task that a stage chooses. */
const CANDIDATES = 4;

/**
 * Rolls out, judges and learns once for every stage, or several times over the same tasks, spread
 * over the stage's steps. The last update is the stage's record.
 *
 * @param choice - `"none"`: every stage gets the same tasks, of all levels. `"own"`: a stage that
 *   chooses tasks chooses among these and others, and a curriculum limits their level.
 */
export async function updateOnce(
  recipe: Recipe,
  acted: ActedEnvironment,
  { engine: policy, reference, models }: Omit<TinyEngines, "dispose">,
  updates = 1,
  seed = 1,
  choice: "none" | "own" = "none",
): Promise<StageRecord[]> {
  acted.restart();
  const { signal } = new AbortController();
  const parts: DriverParts = { ...acted, worldModels: IMAGINED, signal };
  const records: StageRecord[] = [];
  const writer = scriptedWriter();
  const describe = describer(acted.spec, acted.format);
  let state: StateValues = {};
  let stored = acted.stored;
  for (const [s, stage] of recipe.stages.entries()) {
    for (const name of modelsOf(stage)) {
      if (!models.has(name)) models.set(name, await tinyEngine());
    }
    const learners = learnersOf(stage).map((name) => models.get(name) ?? policy);
    const { policy: speaker, format } = acted;
    const beside = { policy: speaker, format, models, adapterShape: { rank: 1, alpha: 1 } };
    const roleStore = new RoleStore(beside);
    for (const part of Object.values(stage.state)) {
      if (part.initial !== undefined && !(part.part in state)) {
        state = { ...state, [part.part]: part.initial() };
      }
    }
    state = await roleStore.begin(stage, policy, state);
    const updatesOf: StageRecord[] = [];
    for (let u = 0; u < updates; u += 1) {
      const step = updates === 1 ? 0 : Math.floor((u * (stage.steps - 1)) / (updates - 1));
      const context: PartContext = {
        step,
        steps: stage.steps,
        random: seededRandom(seed, s),
        state,
        signal,
        ports: {
          writer,
          describe,
          ...runPorts(policy, acted.format, acted.spec, CONTEXT_LENGTH),
          judge: {
            reward: async ({ transcript, rubric = "" }) =>
              ((transcript.length + rubric.length) % 7) / 7,
          },
        },
      };
      const strategy = stage.rollout.strategy(context);
      const settings = settingsAt(stage, context);
      const isAlone =
        strategy.name === "demos" || (strategy.name === "group" && strategy.groupSize === 1);
      const count = isAlone ? 3 * TASKS : TASKS;
      const difficulty = choice === "own" ? (settings.difficulty ?? 1) : 1;
      const levels = 1 + Math.floor(difficulty * (acted.spec.levels - 1));
      const candidates = Array.from({ length: CANDIDATES * count }, (_, i) =>
        acted.spec.reference(derivedSeed(seed, s, i), "train", i % levels),
      );
      const chooser = stage.filters.find(({ chooseTasks }) => chooseTasks !== undefined);
      const tasks =
        choice === "own" && chooser?.chooseTasks !== undefined
          ? chooser.chooseTasks(candidates, count, context)
          : candidates.slice(0, count);
      const roles = await roleStore.acting(stage, settings.lag, strategy.opponent);
      const reader = stageReader(stage, state, {
        seed: derivedSeed(seed, s, u),
        explores: true,
      });
      const groups = await rolledOut(
        strategy,
        tasks,
        stored,
        { ...parts, reader, roles },
        {
          sampling: settings.sampling,
          maxTurns: settings.maxTurns,
          roleShift: settings.roleShift,
          seed: derivedSeed(seed, s, step),
          staleness: settings.lag,
        },
      );
      const before = await Promise.all(learners.map((engine) => engine.parameters()));
      const scorer = async (
        sequences: Parameters<TrainEngine["forward"]>[0]["sequences"],
      ): Promise<readonly Float32Array[]> => (await reference.forward({ sequences })).logProb;
      const resources = { reference: scorer, teacher: scorer, models };
      const update = await updateStage(policy, stage, groups, context, resources, signal);
      const after = await Promise.all(learners.map((engine) => engine.parameters()));
      const moved = after.reduce((sum, now, i) => sum + distance(before[i] ?? now, now), 0);
      state = { ...state, ...update.state };
      await roleStore.learned(stage, policy);
      stored = [...stored, ...groups.flatMap(({ trajectories }) => trajectories)];
      const asked = writer.asked.slice();
      const earlier = updatesOf.slice();
      updatesOf.push({ stage, strategy, groups, update, moved, state, asked, earlier });
    }
    records.push(...updatesOf.slice(-1));
  }
  return records;
}

/** Models that it trains or acts with besides the policy. */
function modelsOf({ trains, state }: Stage): string[] {
  const roles = Object.values(state).flatMap((part) => part.roles?.names ?? []);
  return [...roles, ...(trains === "rm" || trains === "iprm" ? [trains] : [])].filter(
    (name) => name !== "policy",
  );
}

function learnersOf({ trains, state }: Stage): readonly string[] {
  return trains === "roles" ? (state["role-adapters"]?.roles?.learn ?? []) : [trains];
}

type Tensors = Awaited<ReturnType<TrainEngine["parameters"]>>;

function distance(before: Tensors, after: Tensors): number {
  let sum = 0;
  for (const [name, { data }] of after) {
    const old = before.get(name)?.data ?? data;
    for (let i = 0; i < data.length; i += 1) sum += Math.abs((data[i] ?? 0) - (old[i] ?? 0));
  }
  return sum;
}

/** Distinguishes tensors. */
function sumOf(tensors: Tensors): number {
  let sum = 0;
  for (const { data } of tensors.values()) for (const value of data) sum += Math.abs(value);
  return sum;
}
