/** The final comparison of a loop: the base and the last policy on held-out tasks, by the trainer's `evaluate`. */
import { once } from "node:events";
import { join } from "node:path";
import { type LineSink, NODE } from "../processes/programs.ts";
import { ManagedProcess } from "../processes/managed-process.ts";
import type { Site } from "../site/site.ts";
import { environmentArguments, trainerCommand } from "../stack/trainer-process.ts";
import type { Evaluation } from "./report.ts";

/** Options of `comparePolicies`. */
export type ComparisonOptions = {
  /** State folder of the run. */
  readonly folder: string;
  readonly model: string;
  readonly site: Site;
  readonly version: number;
  readonly tasks: number;
  /** Receives the progress. */
  readonly onLine: LineSink;
};

type Rates = { version: number; success: number }[];

/** The one JSON object that `evaluate` prints. */
type Evaluated = {
  tasks: number;
  versions: Rates;
  temperatures: { temperature: string; versions: Rates }[];
  unseenPatterns: { tasks: number; versions: Rates } | null;
};

/**
 * Success of the base and the final policy on the same held-out tasks and seeds, at several temperatures. Version 0 is the
 * base, which is then measured alone. `stopAll` ends it.
 */
export async function comparePolicies(options: ComparisonOptions): Promise<Evaluation> {
  const { folder, model, site, version, tasks, onLine } = options;
  const printed: string[] = [];
  const evaluate = new ManagedProcess({
    name: "evaluate",
    command: NODE,
    args: trainerCommand(
      "evaluate",
      "--model",
      model,
      "--state",
      join(folder, "trainer"),
      "--versions",
      `0,${version}`,
      "--tasks",
      String(tasks),
      // A lower temperature is the control: it must not explain the improvement.
      "--temperatures",
      "0,0.5",
      ...environmentArguments(site),
    ),
    cwd: site.project,
    onLine: (line) => onLine("evaluate", line),
    onOutput: (line) => printed.push(line),
  });
  // The output is complete only now; the process may have ended before.
  await once(evaluate.child, "close");
  const { ending, tail } = evaluate;
  await evaluate.stop();
  if (ending !== "exit code 0") {
    throw new Error(`the final evaluation failed with ${ending}:\n${tail.join("\n")}`);
  }
  return evaluation(JSON.parse(printed.at(-1) ?? "") as Evaluated, version);
}

function evaluation(result: Evaluated, version: number): Evaluation {
  const of = (rates: Rates, wanted: number) =>
    rates.find((entry) => entry.version === wanted)?.success ?? Number.NaN;
  const compared = (rates: Rates) => ({
    base: of(rates, 0),
    final: version === 0 ? null : of(rates, version),
  });
  const { unseenPatterns: unseen } = result;
  return {
    ...compared(result.versions),
    tasks: result.tasks,
    temperatures: result.temperatures.map(({ temperature, versions }) => ({
      temperature,
      ...compared(versions),
    })),
    unseenPatterns: unseen && { ...compared(unseen.versions), tasks: unseen.tasks },
  };
}
