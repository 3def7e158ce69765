/**
 * A base that goes on from a model, such as the default model. It learns the environment's demonstrations, none of which
 * errs on purpose, and between them tasks with invented tools, so that it goes on choosing tools by what they do and
 * copying values out of requests. The tokenizer, the chat template and the context stay the model's.
 */
import { type EnvironmentSpec, INVENTED_TOOLS } from "@waggle/environments";
import { type Trajectory, WaggleError } from "@waggle/protocol";
import type { BaseModel } from "../model/base-model.ts";
import { baseDemonstration } from "./base-demonstration.ts";
import { type BaseRun, type BaseStart, keptBase } from "./base-training.ts";
import { type EarlierModel, earlierModel } from "./earlier-model.ts";
import { demonstrationsDigest } from "./environment-text.ts";

/** The settings of a base that goes on from a model. Any change gives another base. */
export type ContinuedRecipe = {
  /** Content hash of the model. */
  readonly from: string;
  readonly seed: number;
  readonly steps: number;
  /** Demonstrations per optimizer step. */
  readonly batchSize: number;
  /** Of this many demonstrations, the last has invented tools. */
  readonly inventedEvery: number;
};

/** Default settings. */
export const CONTINUED_BASE: Omit<ContinuedRecipe, "from"> = {
  seed: 20_261_128,
  steps: 700,
  batchSize: 16,
  inventedEvery: 4,
};

const PEAK_LEARNING_RATE = 1e-3;
const MAX_MICROBATCH_TOKENS = 2048;
/** Levels of the invented tools without the copying drill. */
export const INVENTED_LEVELS = 2;
/** Demonstrations whose length is checked before training. */
const CHECKED = 64;

/**
 * Reads the base in `folder`, or makes it there from the model in `from`.
 *
 * @throws WaggleError as `readBaseModel`, and `CONTEXT_OVERFLOW` if a demonstration is longer than the model's context.
 */
export async function continuedBase(
  spec: EnvironmentSpec,
  folder: string,
  from: string,
  chosen: { readonly steps?: number | undefined; readonly seed?: number | undefined },
  run: BaseRun,
): Promise<{ readonly model: BaseModel; readonly recipe: ContinuedRecipe }> {
  const earlier = await earlierModel(from);
  const { steps = CONTINUED_BASE.steps, seed = CONTINUED_BASE.seed } = chosen;
  const recipe = { ...CONTINUED_BASE, from: earlier.sha256, steps, seed };
  const { contextLength } = earlier.config;
  const digest = await demonstrationsDigest(spec, { seed, mistakes: 0, contextLength });
  const record = { spec: spec.name, ...recipe, demonstrations: digest };
  const model = await keptBase(folder, record, () => startOf(spec, recipe, earlier), run);
  return { model, recipe };
}

async function startOf(
  spec: EnvironmentSpec,
  recipe: ContinuedRecipe,
  { config, weights, text }: EarlierModel,
): Promise<BaseStart> {
  const { seed, steps, batchSize, inventedEvery } = recipe;
  const { contextLength } = config;
  const options = { seed, mistakes: 0, contextLength };
  const own = (nth: number) => baseDemonstration(spec, text.chat, nth, options);
  const invented = (nth: number) =>
    baseDemonstration({ ...INVENTED_TOOLS, levels: INVENTED_LEVELS }, text.chat, nth, options);
  await requireRoom(spec, own, contextLength);
  return {
    config,
    weights,
    text,
    steps,
    peakLearningRate: PEAK_LEARNING_RATE,
    optimizer: { matrices: "muon", beta2: 0.95 },
    maxMicrobatchTokens: MAX_MICROBATCH_TOKENS,
    demonstrations: async (step) => {
      const batch: Trajectory[] = [];
      for (let nth = step * batchSize; nth < (step + 1) * batchSize; nth += 1) {
        // Each kind is counted on its own, so that all levels have their turn.
        const before = Math.floor(nth / inventedEvery);
        const isInvented = nth % inventedEvery === inventedEvery - 1;
        batch.push(await (isInvented ? invented(before) : own(nth - before)));
      }
      // Invented tools can need more tokens than a model with a short context has.
      return batch.filter((shown) => !isCut(shown));
    },
  };
}

const isCut = ({ stopReason }: Trajectory): boolean => stopReason === "context-overflow";

/** Finds out before the training, which takes minutes, whether the model's context is long enough. */
async function requireRoom(
  spec: EnvironmentSpec,
  shown: (nth: number) => Promise<Trajectory>,
  contextLength: number,
): Promise<void> {
  let cut = 0;
  for (let nth = 0; nth < CHECKED; nth += 1) {
    if (isCut(await shown(nth))) cut += 1;
  }
  if (cut === 0) return;
  throw new WaggleError(
    "CONTEXT_OVERFLOW",
    `${cut} of the first ${CHECKED} demonstrations of ${spec.name} are longer than the ${contextLength} tokens of the model that the base goes on from; shorten the prompt, the tools' descriptions or the answers, or make the base without a model`,
  );
}
