/**
 * One training demonstration for the base of an environment: a rollout with mistakes, or one whose
 * demonstrator has a case to read, if the environment teaches its base to read.
 */
import { guidedEnvironment } from "@waggle/agent";
import { demonstratedRollout } from "@waggle/agent/environments";
import type { ReadingLesson, EnvironmentSpec } from "@waggle/environments";
import { readingText } from "@waggle/learning";
import type { Trajectory } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import type { Habit } from "./base-habit.ts";
import { derivedSeed, seededRandom } from "@waggle/protocol";

export type BaseDemonstrationOptions = {
  /** Seed of all demonstrations of a base. */
  readonly seed: number;
  /**
   * Error rate of demonstrations without a case; environments with reading lessons define their own
   * for the rest.
   */
  readonly mistakes: number;
  /**
   * Share of demonstrations by a demonstrator who errs whenever possible, each time in the same way. A
   * base that learned a bad habit does not lose it at a lower temperature. Default 0.
   */
  readonly habits?: number;
  /** Seed that decides how that demonstrator errs at each level. Default `HABIT`. */
  readonly habit?: number;
  /** Restricts the habit to some patterns and chooses its seeds. Default: all patterns, and the seed of `habit`. */
  readonly patternHabit?: Habit | undefined;
  readonly contextLength: number;
};

/** Default seed of the habitual mistakes. */
export const HABIT = 0xab17;

/** The demonstration at an index. */
export async function baseDemonstration(
  spec: EnvironmentSpec,
  format: ChatFormat,
  nth: number,
  {
    seed,
    mistakes,
    habits = 0,
    habit = HABIT,
    patternHabit,
    contextLength,
  }: BaseDemonstrationOptions,
): Promise<Trajectory> {
  const reference = spec.reference(derivedSeed(seed, nth), "train", nth % spec.levels);
  const random = seededRandom(seed, nth);
  const { reading } = spec;
  const level = spec.levelOf(reference);
  const hasHabit = patternHabit?.templates.has(spec.task(reference).template) ?? true;
  const isHabit = hasHabit && habits > 0 && random() < habits;
  const lesson = reading && random() < reading.share ? reading.lesson(random) : null;
  const { record } = await demonstratedRollout(
    lesson === null ? spec : { ...spec, demonstrator: () => lesson.reader },
    reference,
    format,
    {
      random: isHabit ? seededRandom(patternHabit?.seeds[level] ?? habit, level) : random,
      mistakes: isHabit ? 1 : (reading?.mistakes ?? mistakes),
      contextLength,
      ...(lesson === null ? {} : { around: given(lesson) }),
    },
  );
  return record;
}

/** An environment whose rollout starts with the case, in the format of rollouts. */
function given({
  case: shown,
}: ReadingLesson): NonNullable<Parameters<typeof demonstratedRollout>[3]["around"]> {
  const text = readingText({ cases: [shown] });
  return (instance) => ({
    ...instance,
    environment: guidedEnvironment(instance.environment, { start: () => text }),
  });
}
