/** The same calls give the same results: without that, no trainer can check what a page reports. */
import type { DemonstratedAction, Demonstrator } from "@waggle/environments";
import {
  hashText,
  mulberry32,
  type RandomSource,
  type TaskReference,
  type ToolResult,
} from "@waggle/protocol";
import {
  type CheckContext,
  counted,
  failed,
  type Finding,
  passed,
  placeOf,
  type Played,
  played,
  visited,
} from "./check-context.ts";
import { isWithoutDemonstrator } from "./verifier-checks.ts";

/** Plays every task, then every task again with the same turns, and compares results and verdicts. */
export async function checkReplay(context: CheckContext): Promise<Finding> {
  const { spec, references } = context;
  const recorded = new Map<TaskReference, Played>();
  await visited(context, references, async (reference) => {
    const random = mulberry32(hashText(`replay/${reference.split}/${reference.seed}`));
    const { tools } = await spec.create(reference).environment.observe();
    const careless = await demonstratorOf(context, reference, random);
    const names = tools.map(({ name }) => name);
    const act = afterStrangeCalls([...names, "no_such_tool"], careless);
    recorded.set(reference, await played(context, reference, act));
    return null;
  });
  let turns = 0;
  const found = await visited(context, references, async (reference) => {
    const before = recorded.get(reference) as Played;
    const again = await played(context, reference, repeated(before));
    turns += before.turns.length;
    const difference = differenceOf(before, again);
    if (difference === null) return null;
    return failed(`${placeOf(spec, reference)}: ${difference}`, reference);
  });
  return (
    found ??
    passed(
      `${counted(references.length, "task")} played twice with the same ${counted(turns, "turn")}: results and verdicts are equal, byte for byte`,
    )
  );
}

async function demonstratorOf(
  { spec }: CheckContext,
  reference: TaskReference,
  random: RandomSource,
): Promise<Demonstrator> {
  try {
    return await spec.demonstrator(reference, random, 0.35);
  } catch (error) {
    if (!isWithoutDemonstrator(error)) throw error;
    return () => ({ text: "", calls: [] });
  }
}

/** Begins with a turn of wrong calls, so that failures are compared too. */
function afterStrangeCalls(names: readonly string[], act: Demonstrator): Demonstrator {
  let turn = 0;
  return (seen) => {
    turn += 1;
    if (turn === 1) {
      const strange = { text: "\u0000 😀", id: null, query: ["x"], n: -1 };
      const calls = names.flatMap((name) => [
        { name, arguments: {} },
        { name, arguments: strange },
      ]);
      return { text: "", calls };
    }
    try {
      return act(turn === 2 ? null : seen);
    } catch {
      // The strange calls may have changed what the author's code relies on.
      return { text: "", calls: [] };
    }
  };
}

function repeated({ turns }: Played): Demonstrator {
  let next = 0;
  return () => {
    const turn = turns[next];
    next += 1;
    if (turn === undefined) return { text: "", calls: [] } satisfies DemonstratedAction;
    const { text, toolCalls } = turn.action;
    return {
      text,
      calls: toolCalls.map(({ name, arguments: given }) => ({ name, arguments: given })),
    };
  };
}

function differenceOf(before: Played, again: Played): string | null {
  for (const [i, { action, seen }] of before.turns.entries()) {
    const other = again.turns[i]?.seen;
    if (other === undefined || shortened(seen, Infinity) === shortened(other, Infinity)) continue;
    const at = seen.toolResults.findIndex(
      (result, call) => shortened(result) !== shortened(other.toolResults[call]),
    );
    const name = action.toolCalls[at]?.name ?? "a text";
    const [first, second] = [seen, other].map((one) => shortened(valueOf(one.toolResults[at])));
    return `in turn ${i + 1}, ${name} gave ${first} and then ${second} for the same calls. Tools must use the state only, not the time, unseeded random numbers or a shared variable`;
  }
  const [first, second] = [shortened(before.judgment), shortened(again.judgment)];
  if (first === second) return null;
  return `the same turns were judged ${first} and then ${second}. verify must use the state, the text and the data only`;
}

/** What the model reads of a result. */
function valueOf(result: ToolResult | undefined): unknown {
  if (result === undefined) return undefined;
  return result.ok ? result.value : result.error.message;
}

/** As JSON of at most this length. */
function shortened(value: unknown, characters = 120): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, characters);
}
