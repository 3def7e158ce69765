/**
 * `study`: compares the arms of an open question in the literature at one budget, and writes its
 * page and figure.
 */
import { join } from "node:path";
import type { Command } from "commander";
import { environmentFrom } from "../extensions/environment-module.ts";
import { baseText } from "../pretrain/base-training.ts";
import { textTable } from "../metrics/text-table.ts";
import type { TrialRun } from "../trials/trial.ts";
import { WaggleError } from "@waggle/protocol";
import { runStudy } from "./run-study.ts";
import { LIVE_SIGNALS } from "./live-signals/live-signals.ts";
import { liveSignalsCommand, liveSignalsHelp } from "./live-signals/live-signals-command.ts";
import { STUDIES, studyNamed } from "./studies.ts";
import { studyIn } from "./study.ts";
import { measureText } from "./study-page.ts";
import { answer, compared, wholeSeeds } from "./study-results.ts";
import { environmentOption } from "../options/environment-option.ts";
import {
  basesOption,
  jsonOption,
  listOption,
  outputOption,
  seedsOption,
} from "../options/shared-options.ts";

export type StudyCommandOptions = {
  readonly signal: AbortSignal;
  readonly writeOut: (line: string) => void;
  readonly writeError: (line: string) => void;
};

type Flags = {
  env?: string;
  seeds: number;
  arms?: readonly string[];
  sample: boolean;
  bases: string;
  output: string;
  list: boolean;
  json: boolean;
};

export function addStudyCommand(
  program: Command,
  { signal, writeOut, writeError }: StudyCommandOptions,
): void {
  program
    .command("study")
    .argument("[name]", "the question; without it, the questions are listed")
    .description("compare the arms of an open question at equal budgets, and write its page")
    .addHelpText("after", ({ command }) => `\n${helpOf(command.args[0]).join("\n")}`)
    .addOption(listOption("list the questions"))
    .addOption(seedsOption("runs per arm; existing runs are kept").default(5))
    .option(
      "--arms <names>",
      `only these arms of ${LIVE_SIGNALS.name}, separated by commas`,
      (names) => names.split(","),
    )
    .option(
      "--sample",
      `a short run of ${LIVE_SIGNALS.name} with one seed, in .waggle/study-sample`,
      false,
    )
    .addOption(environmentOption("the question's own"))
    .addOption(basesOption())
    .addOption(outputOption("folder for runs, page and figure", "docs/evidence/studies"))
    .addOption(jsonOption())
    .action(async (name: string | undefined, flags: Flags) => {
      if (flags.list || name === undefined) {
        for (const line of listed(flags.json)) writeOut(line);
        return;
      }
      if (name === LIVE_SIGNALS.name) {
        await liveSignalsCommand(flags, { signal, writeOut, writeError });
        return;
      }
      requireNoSignalFlags(name, flags);
      const asked = studyNamed(name);
      const spec = await environmentFrom(flags.env ?? asked.environment);
      const study = flags.env === undefined ? asked : studyIn(asked, spec, flags.env);
      const startedAt = performance.now();
      const runs = await runStudy(study, spec, {
        seeds: flags.seeds,
        bases: flags.bases,
        output: flags.output,
        signal,
        onBase(environment, progress) {
          if (flags.json) writeOut(JSON.stringify({ event: "base", environment, ...progress }));
          else writeError(baseText(environment, progress));
        },
        onRun(run, { finished, before, total }) {
          const pace = (performance.now() - startedAt) / 60_000 / (finished - before);
          if (flags.json) writeOut(JSON.stringify({ event: "run", ...run }));
          else writeError(wordsOf(run, finished, total, pace * (total - finished)));
        },
      });
      const comparisons = compared(study, runs);
      const text = answer(study, runs);
      writeOut(
        flags.json
          ? JSON.stringify({
              study: study.name,
              seeds: wholeSeeds(study, runs),
              comparisons,
              answer: text,
            })
          : `${text}\n${join(flags.output, `${study.name}.md`)}`,
      );
    });
}

function listed(json: boolean): string[] {
  if (json) {
    const studies = STUDIES.map(({ name, question, environment, arms }) => ({
      name,
      question,
      environment,
      arms: arms.map((arm) => arm.name),
    }));
    return [JSON.stringify({ studies: [...studies, LIVE_SIGNALS] })];
  }
  return textTable([...STUDIES, LIVE_SIGNALS].map(({ name, question }) => [name, question]));
}

/** @throws WaggleError `INVALID_ARGUMENT` for options that only `live-signals` has. */
function requireNoSignalFlags(
  name: string,
  { arms, sample }: Pick<Flags, "arms" | "sample">,
): void {
  if (arms === undefined && !sample) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `error: --arms and --sample are options of study ${LIVE_SIGNALS.name}, and ${name} has none`,
  );
}

/** Help for the study named before `--help`, else for all. */
function helpOf(name: string | undefined): string[] {
  if (name === LIVE_SIGNALS.name) return liveSignalsHelp();
  const study = STUDIES.find((one) => one.name === name);
  if (study === undefined) {
    const lines = listed(false).map((line) => `  ${line}`);
    return ["Questions (<name> --help shows the arms of one):", ...lines];
  }
  const { question, sides, arms, tokens, environment, measures, limits } = study;
  return [
    `${study.name}: ${question}`,
    ...sides.map(({ says, sources }) => `  ${says} (${sources})`),
    `\nArms, each with ${tokens} tokens in ${environment}, sampled or demonstrated:`,
    ...arms.map((arm) => `  ${arm.name}`),
    `\nRead from: ${measures.map(measureText).join("; ")}`,
    ...limits.map((limit) => `Limit: ${limit}`),
  ];
}

function wordsOf(run: TrialRun, finished: number, total: number, minutesLeft: number): string {
  const rates = `${(100 * run.base).toFixed(1)} → ${(100 * run.final).toFixed(1)} %`;
  return `${finished}/${total}  ${Math.ceil(minutesLeft)} min left  ${run.arm}, seed ${run.seed}  ${rates}  ${run.sampledTokens} tokens  ${run.seconds} s`;
}
