/** Each level is harder than the one below: more turns, or more failures of a demonstrator with mistakes. */
import { mulberry32 } from "@waggle/protocol";
import {
  type CheckContext,
  failed,
  type Finding,
  passed,
  percent,
  played,
  skipped,
  visited,
} from "./check-context.ts";
import { errs, isWithoutDemonstrator } from "./verifier-checks.ts";

/** Tasks of each level; the larger number where the smaller one shows no difference. */
const TASKS = [200, 1000] as const;
const MISTAKES = 0.5;
/** Standard errors of a difference in success that show a harder level. */
const SURE = 3;
/** More turns on average that show a harder level. */
const MORE_TURNS = 0.1;

type Difficulty = { readonly turns: number; readonly success: number; readonly tasks: number };

/** Compares neighboring levels. */
export async function checkLevels(context: CheckContext): Promise<Finding> {
  const { levels } = context.spec;
  if (levels === 1) return skipped("there is one level");
  try {
    const first = await compared(context, TASKS[0]);
    return first.status === "passed" ? first : await compared(context, TASKS[1]);
  } catch (error) {
    if (isWithoutDemonstrator(error)) {
      return skipped("there is no demonstrate to measure levels with");
    }
    throw error;
  }
}

async function compared(context: CheckContext, tasks: number): Promise<Finding> {
  const measured: Difficulty[] = [];
  for (let level = 0; level < context.spec.levels; level += 1) {
    measured.push(await difficulty(context, level, tasks));
  }
  const words = measured.map(
    ({ turns, success }, level) =>
      `level ${level}: ${turns.toFixed(1)} turns, ${percent(success)} solved with mistakes`,
  );
  const flat = measured.findIndex((one, level) => {
    const before = measured[level - 1];
    return before !== undefined && !isHarder(before, one);
  });
  if (flat === -1) return passed(words.join("; "));
  return failed(
    `level ${flat} is not harder than level ${flat - 1} (${words.join("; ")}). Let tasks use level for longer tasks, or lower levels`,
  );
}

async function difficulty(
  context: CheckContext,
  level: number,
  tasks: number,
): Promise<Difficulty> {
  const { spec } = context;
  const references = Array.from({ length: tasks }, (_, i) =>
    spec.reference((2000 + i) * spec.levels, "train", level),
  );
  let turns = 0;
  let successes = 0;
  await visited(context, references, async (reference) => {
    const act = await spec.demonstrator(reference, mulberry32(reference.seed), 0);
    turns += (await played(context, reference, act)).turns.length;
    if (!(await errs(context, reference, MISTAKES))) successes += 1;
    return null;
  });
  return { turns: turns / tasks, success: successes / tasks, tasks };
}

function isHarder(before: Difficulty, after: Difficulty): boolean {
  if (after.turns >= before.turns + MORE_TURNS) return true;
  const variance = (one: Difficulty): number => (one.success * (1 - one.success)) / one.tasks;
  const error = Math.sqrt(variance(before) + variance(after));
  return before.success - after.success > SURE * error;
}
