/** `trial`: tests claims about learning again with their seeds. Handles output and files. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WaggleError } from "@waggle/protocol";
import type { Command } from "commander";
import { baseText } from "../pretrain/base-training.ts";
import { openControlLog } from "../evidence/control-log.ts";
import { CONTROLS_FILE } from "../evidence/control-text.ts";
import { textTable } from "../metrics/text-table.ts";
import { appendRun, readRuns, textOf } from "./run-file.ts";
import { runTrial } from "./run-trial.ts";
import { staleness } from "./staleness.ts";
import { thumbs } from "./thumbs.ts";
import { type Trial, verdicts } from "./trial.ts";
import { withResults } from "./trial-page.ts";
import { basesOption, outputOption, seedsOption } from "../options/shared-options.ts";

const TRIALS: readonly Trial[] = [staleness, thumbs];

export type TrialCommandOptions = {
  readonly signal: AbortSignal;
  readonly writeOut: (line: string) => void;
  readonly writeError: (line: string) => void;
};

type Flags = { bases: string; output: string; seeds?: number };

export function addTrialCommand(
  program: Command,
  { signal, writeOut, writeError }: TrialCommandOptions,
): void {
  const names = TRIALS.map(({ name }) => name).join(", ");
  program
    .command("trial")
    .argument("[name]", "the trial; without it, the trials are listed")
    .description("test a claim about learning with all its arms and seeds")
    .addHelpText("after", ({ command }) => `\n${helpOf(command.args[0]).join("\n")}`)
    .addOption(basesOption())
    .addOption(outputOption("folder for runs and page; existing runs are kept", "docs/evidence"))
    .addOption(seedsOption("number of seeds (default: all)"))
    .action(async (name: string | undefined, given: Flags) => {
      if (name === undefined) {
        for (const line of helpOf(name)) writeOut(line);
        return;
      }
      const whole = TRIALS.find((one) => one.name === name);
      if (whole === undefined) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `unknown trial "${name.slice(0, 64)}"; choose one of ${names}`,
        );
      }
      const trial = { ...whole, seeds: whole.seeds.slice(0, given.seeds) };
      const file = join(given.output, `${name}-runs.jsonl`);
      const page = join(given.output, `${name}.md`);
      await mkdir(given.output, { recursive: true });
      const done = await readRuns(file);
      const runs = await runTrial(trial, {
        bases: given.bases,
        done,
        signal,
        onBase: (environment, progress) => writeError(baseText(environment, progress)),
        onRun: async (run) => {
          await appendRun(file, run);
          const { arm, seed, base, final, seconds } = run;
          writeOut(`${arm}, seed ${seed}: ${base.toFixed(3)} → ${final.toFixed(3)}, ${seconds} s`);
        },
      });
      const found = verdicts(trial, runs);
      const controls = await openControlLog(CONTROLS_FILE);
      await writeFile(page, withResults(await textOf(page), trial, runs, found, controls));
      for (const { says, holds, mean, pValue } of found) {
        writeOut(
          `${holds ? "holds" : "FAILS"}: ${says} (${mean.toFixed(3)}, p ${pValue.toPrecision(2)})`,
        );
      }
    });
}

/** Help for the trial named before `--help`, else for all. */
function helpOf(name: string | undefined): string[] {
  const trial = TRIALS.find((one) => one.name === name);
  if (trial === undefined) {
    const rows = TRIALS.map((one) => [`  ${one.name}`, one.question]);
    return ["Trials (<name> --help shows the arms and expectations of one):", ...textTable(rows)];
  }
  const { question, arms, seeds, evaluationTasks, expected } = trial;
  const specs = [...new Set(arms.map(({ spec }) => spec.name))].join(", ");
  return [
    `${trial.name}: ${question}`,
    `\n${arms.length} arms with ${seeds.length} seeds each, ${evaluationTasks} held-out tasks of ${specs} after each:`,
    ...arms.map((arm) => `  ${arm.name}`),
    "\nExpected, written down before the runs:",
    ...expected.map(({ says }) => `  ${says}`),
  ];
}
