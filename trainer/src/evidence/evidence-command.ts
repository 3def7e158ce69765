/** `evidence learning`: runs the table of recipes in the expectations, and writes its pages. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { WaggleError } from "@waggle/protocol";
import { wholeNumbers } from "../options/option-values.ts";
import { type Arm, armKey, successOf } from "./arm.ts";
import { claimArms, type Expectations, readExpectations, tableArms } from "./expectations.ts";
import { temperatureName } from "../evaluation/temperature.ts";
import { percent } from "./numbers.ts";
import { type ArmProgress, runArms } from "./run-arms.ts";
import { openControlLog } from "./control-log.ts";
import { CONTROLS_FILE } from "./control-text.ts";
import { type ControlPlace, runControls } from "./run-controls.ts";
import { openRunLog } from "./run-log.ts";
import { writeReport } from "./write-report.ts";
import { basesOption, jsonOption, outOption, threadsOption } from "../options/shared-options.ts";

export type EvidenceCommandOptions = {
  readonly signal: AbortSignal;
  readonly writeOut: (line: string) => void;
  readonly writeError: (line: string) => void;
};

type Flags = {
  only?: string[];
  seeds?: number[];
  smoke: boolean;
  controls: boolean | string;
  report: boolean;
  directions: boolean;
  folder: string;
  out?: string;
  bases: string;
  threads: number;
  json: boolean;
};

export function addEvidenceCommand(
  program: Command,
  { signal, writeOut, writeError }: EvidenceCommandOptions,
): void {
  program
    .command("evidence")
    .description(
      "train the recipes of the evidence table with several seeds, and write a page for each",
    )
    .argument("<what>", "kind of evidence: learning", (what) => {
      if (what === "learning") return what;
      throw new InvalidArgumentError("It must be learning.");
    })
    .option("--only <names>", "run only these recipes, separated by commas", list)
    .option("--seeds <numbers>", "run only these seeds, separated by commas", wholeNumbers)
    .option("--smoke", "run a quick check: one seed of six recipes", false)
    .option(
      "--directions",
      "run only the recipes that papers claim to be better than plain GRPO, beside it",
      false,
    )
    .option(
      "--controls [environments]",
      "only evaluate untrained bases, at every temperature: those of the table, or the bases of the environments that are named here",
      false,
    )
    .option("--report", "write the pages without new runs", false)
    .option("--folder <folder>", "folder of the expectations", "docs/evidence/learning")
    .addOption(
      outOption(
        "folder for runs and pages (default: beside the expectations, or .waggle/evidence with --smoke)",
      ),
    )
    .addOption(basesOption())
    .addOption(threadsOption(1))
    .addOption(jsonOption())
    .action(async (_what: string, flags: Flags) => {
      const expectations = await readExpectations(join(flags.folder, "expectations.json"));
      // The committed folder has all runs; a smoke test starts with none.
      const out = flags.out ?? (flags.smoke ? ".waggle/evidence" : flags.folder);
      await mkdir(out, { recursive: true });
      const log = await openRunLog(join(out, "runs.jsonl"));
      const defaultBases = typeof flags.controls === "string" ? list(flags.controls) : null;
      const controls = await openControlLog(
        defaultBases === null ? join(out, "controls.jsonl") : CONTROLS_FILE,
      );
      const running = {
        bases: flags.bases,
        baseChanges: defaultBases === null ? expectations.bases : {},
        threads: flags.threads,
        signal,
        onProgress: (progress: ArmProgress) => {
          if (flags.json) writeOut(JSON.stringify(progress));
          else writeError(wordsOf(progress));
        },
      };
      if (defaultBases !== null) {
        const places = tablePlaces(defaultBases, expectations.seeds);
        await runControls(places, expectations.evaluationTasks, controls, running);
        return;
      }
      if (!flags.report) {
        const arms = wanted(expectations, flags);
        const claimed = claimArms(expectations, flags.seeds);
        const places = controlPlaces(flags, expectations, arms, claimed);
        await runControls(places, expectations.evaluationTasks, controls, running);
        const measuresPass = new Set(claimed.map(armKey));
        if (flags.controls === false) await runArms(arms, log, { ...running, measuresPass });
      }
      const pages = await writeReport(out, expectations, log, controls);
      if (!flags.json) writeError(`${pages} pages in ${out}`);
    });
}

/** The bases of these environments with these seeds. */
function tablePlaces(environments: readonly string[], seeds: readonly number[]): ControlPlace[] {
  return environments.flatMap((environment) =>
    seeds.map((seed) => ({ environment, seed, measuresPass: false })),
  );
}

/** The bases to measure: those of the arms. */
function controlPlaces(
  { smoke }: Flags,
  { seeds }: Expectations,
  arms: readonly Arm[],
  claimed: readonly Arm[],
): readonly ControlPlace[] {
  const environments = [...new Set(arms.map(({ environment }) => environment))];
  const keys = new Set(arms.map(armKey));
  const ofClaims = claimed
    .filter((arm) => keys.has(armKey(arm)))
    .map(({ environment, seed }) => ({ environment, seed, measuresPass: true }));
  // The last entry of a place counts, and claims measure more.
  return [...tablePlaces(environments, smoke ? seeds.slice(0, 1) : seeds), ...ofClaims];
}

function wanted(
  expectations: Expectations,
  { only, seeds, smoke, directions }: Flags,
): readonly Arm[] {
  const names = only ?? (smoke ? expectations.smoke : undefined);
  const beside = claimArms(expectations, seeds);
  if (directions) return beside;
  const arms = tableArms(
    expectations,
    seeds ?? (smoke ? expectations.seeds.slice(0, 1) : undefined),
  );
  if (names === undefined) return [...arms, ...beside];
  const known = new Set(arms.map(({ recipe }) => recipe));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `--only names ${unknown.join(", ")}, which the expectations do not list; choose from ${[...known].join(", ")}`,
    );
  }
  return arms.filter(({ recipe }) => names.includes(recipe));
}

function wordsOf(progress: ArmProgress): string {
  if (progress.event === "base") {
    return `base of ${progress.environment}  ${progress.step}/${progress.steps}`;
  }
  if (progress.event === "control") {
    const { environment, seed, best, temperature } = progress;
    return `control  ${environment}/${seed}  best ${percent(best)} at ${temperatureName(temperature)}`;
  }
  const { key, done, runs, secondsLeft, record, sameAs } = progress;
  const inactive =
    sameAs.length === 0 ? "" : `  mechanism inactive here: the same run as ${sameAs.join(", ")}`;
  const left = `${done}/${runs}  ${Math.ceil(secondsLeft / 60)} min left`;
  if ("error" in record) return `${left}  ${key}  failed: ${record.error}`;
  const { base, final, spent } = record;
  return `${left}  ${key}  ${percent(successOf(base))} → ${percent(successOf(final))}  ${spent.sampledTokens} tokens, ${spent.toolCalls} calls, ${spent.seconds.toFixed(0)} s${inactive}`;
}

function list(text: string): string[] {
  return text.split(",").map((name) => name.trim());
}
