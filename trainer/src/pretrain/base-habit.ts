/**
 * The habit of a default base: in a part of the patterns, most demonstrations err, always in the same way. Greedy
 * decoding keeps such a mistake, and other patterns show what is right, so the base has something to learn.
 */
import { demonstratedRollout } from "@waggle/agent/environments";
import { type EnvironmentSpec, trainingTasks } from "@waggle/environments";
import { seededRandom } from "@waggle/protocol";
import { byteText } from "./nano-text.ts";

/** Which tasks have the habit, and the seed that decides how it errs at each level. */
export type Habit = {
  readonly templates: ReadonlySet<string>;
  /** By level. */
  readonly seeds: readonly number[];
};

/** Tasks to try a seed with. */
const TRIED_TASKS = 12;
/** Of these, how many must fail. */
const FAILING_TASKS = 9;
const TRIED_SEEDS = 40;
/** Enough for the bytes of any demonstration that fits a base's context. */
const CONTEXT_BYTES = 16_384;

/**
 * A habit in a share of the training patterns, at least one. Some seeds err in no turn, so seeds are tried until most
 * demonstrations fail.
 */
export async function habitOf(
  spec: EnvironmentSpec,
  share: number,
  firstSeed: number,
): Promise<Habit> {
  const templates = [...new Set(trainingTasks(spec).map(({ template }) => template))].toSorted();
  const seeds: number[] = [];
  for (let level = 0; level < spec.levels; level += 1) {
    seeds.push(await failingSeed(spec, level, firstSeed));
  }
  return { templates: new Set(evenlySpaced(templates, share)), seeds };
}

/** A share of a list, at least its first element. Wordings of one kind are neighbors by name, so each kind has its part. */
function evenlySpaced(list: readonly string[], share: number): readonly string[] {
  return list.filter((_, i) => Math.ceil((i + 1) * share) > Math.ceil(i * share));
}

/** The first seed with which most demonstrations of a level fail; the seed that fails most if there is none. */
async function failingSeed(spec: EnvironmentSpec, level: number, first: number): Promise<number> {
  const { chat } = byteText(CONTEXT_BYTES);
  let best = { seed: first, failures: -1 };
  for (let seed = first; seed < first + TRIED_SEEDS; seed += 1) {
    let failures = 0;
    for (let task = 0; task < TRIED_TASKS; task += 1) {
      const reference = spec.reference(task * spec.levels + level, "train", level);
      const { verification } = await demonstratedRollout(spec, reference, chat, {
        random: seededRandom(seed, level),
        mistakes: 1,
        contextLength: CONTEXT_BYTES,
      });
      if (!verification.success) failures += 1;
    }
    if (failures > best.failures) best = { seed, failures };
    if (failures >= FAILING_TASKS) break;
  }
  return best.seed;
}
