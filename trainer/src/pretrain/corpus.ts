/**
 * The pretraining corpus: fresh demonstrations of training tasks, in the agent's chat format. Example i depends only on
 * the seed and i, so a resumed run sees the same examples.
 */
import { demonstratedRollout } from "@waggle/agent/environments";
import type { EnvironmentSpec } from "@waggle/environments";
import { mulberry32, type Trajectory } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { type NanoText, type TextOptions, trainText } from "./nano-text.ts";

/** One dialogue as tokens. */
export type Example = {
  readonly tokenIds: readonly number[];
  /** `[T]` role of the speaker. */
  readonly roles: readonly string[];
};

/** Limit of a demonstration; texts are longest in the byte-level tokenizer. */
const MAX_TOKENS = 65_536;

/** Demonstration `index` of the corpus of `seed`: a rollout of the demonstrator at a training task of a level. */
export async function corpusDemonstration(
  spec: EnvironmentSpec,
  chat: ChatFormat,
  seed: number,
  index: number,
  level = 0,
): Promise<Trajectory> {
  const random = mulberry32((seed + Math.imul(index, 0x9e3779b1)) >>> 0);
  const reference = spec.reference(Math.floor(random() * 2 ** 32), "train", level);
  const options = { random, mistakes: 0, contextLength: MAX_TOKENS };
  const { record } = await demonstratedRollout(spec, reference, chat, options);
  return record;
}

/** The tokens of a demonstration, with their speakers. */
export async function corpusExample(
  ...demonstration: Parameters<typeof corpusDemonstration>
): Promise<Example> {
  const { segments } = await corpusDemonstration(...demonstration);
  return {
    tokenIds: segments.flatMap(({ tokenIds }) => tokenIds),
    roles: segments.flatMap((segment) =>
      segment.tokenIds.map(() => (segment.kind === "given" ? segment.role : "assistant")),
    ),
  };
}

/** Trains the tokenizer on `count` demonstrations, template included. */
export function trainNanoText(
  options: TextOptions & { readonly spec: EnvironmentSpec; readonly seed: number },
): Promise<NanoText> {
  const { spec, seed } = options;
  return trainText(
    options,
    async ({ chat }, index) => (await corpusExample(spec, chat, seed, index)).tokenIds,
  );
}
