/** The command line of benchmarks made of scenarios: options, progress, rows, exit code. */
import { createCommand } from "../../../trainer/src/commands/command-line.ts";
import { namesOf } from "../../../trainer/src/options/option-values.ts";
import type { BenchRow } from "./row.ts";

/** One measurement. */
export type BenchScenario<Context> = {
  readonly name: string;
  readonly description: string;
  /** Yields rows as they are measured. */
  readonly run: (context: Context) => AsyncIterable<BenchRow>;
};

/** A benchmark command and its texts. */
export type BenchCommand<Context> = {
  /** As users type it: `npm run bench:runtime --`. */
  readonly command: string;
  readonly description: string;
  readonly scenarios: readonly BenchScenario<Context>[];
  /** Plural noun for the outputs that are compared before speed. */
  readonly compared: string;
  readonly context: (
    quick: boolean,
    report: (line: string) => void,
    wants: (name: string) => boolean,
  ) => Context;
};

/**
 * Runs the scenarios selected on the command line. Progress goes to stderr; with `--json` the last
 * line of stdout is one JSON object `{rows}`. The exit code is 1 if some rows do not agree.
 */
export async function runBench<Context>(bench: BenchCommand<Context>): Promise<void> {
  const { scenarios } = bench;
  const known = scenarios.map(({ name }) => name);
  const program = createCommand(bench.command)
    .description(bench.description)
    .option("--only <names>", `scenarios, separated by commas: ${known.join(", ")}`, namesOf(known))
    .option(
      "--rows <texts>",
      "only rows whose names contain one of these, separated by commas; for scenarios that can leave out rows",
    )
    .option("--quick", "run one round of each, to check that it works", false)
    .option("--json", "print one JSON object instead of a table", false)
    .parse();
  const options = program.opts<{ only?: string[]; rows?: string; quick: boolean; json: boolean }>();
  const names = options.only ?? known;
  const texts = options.rows?.split(",") ?? [""];
  const wants = (name: string): boolean => texts.some((text) => name.includes(text.trim()));

  const report = (line: string): void => console.error(line);
  const rows: BenchRow[] = [];
  for (const scenario of scenarios.filter(({ name }) => names.includes(name))) {
    report(`── ${scenario.name}: ${scenario.description}`);
    for await (const row of scenario.run(bench.context(options.quick, report, wants))) {
      report(`   ${JSON.stringify(row)}`);
      rows.push(row);
    }
  }
  if (!rows.every(({ agree }) => agree)) {
    report(`some ${bench.compared} do not agree, so their speed is meaningless`);
    process.exitCode = 1;
  }
  if (options.json) console.log(JSON.stringify({ rows }));
  else console.table(rows);
}
