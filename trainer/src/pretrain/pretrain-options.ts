/** The command line of pretraining. */
import { createCommand } from "../commands/command-line.ts";
import { positive, wholeIn } from "../options/option-values.ts";
import { DEFAULT_SEED, DEFAULT_STEPS } from "./nano-recipe.ts";

export type PretrainCommandOptions = {
  readonly steps: number;
  /** Folder of the model that comes out. */
  readonly out: string;
  /** Folder of the checkpoint. */
  readonly run: string;
  readonly resume: boolean;
  readonly seed: number;
  /** Held-out tasks of the final score. */
  readonly tasks: number;
  /** Where the curve and scores are written as JSON; `null` leaves them out. */
  readonly report: string | null;
  readonly json: boolean;
};

/** Reads `process.argv`; commander prints usage and ends the process where it is wrong. */
export function parseArgs(argv: readonly string[]): PretrainCommandOptions {
  const program = createCommand("npm run train-base --")
    .description("Train the nano base model from scratch.")
    .option("--steps <n>", "optimizer steps", positive, DEFAULT_STEPS)
    .option("--out <folder>", "where the model goes", "packages/model/nano")
    .option("--run <folder>", "where the checkpoint goes", ".waggle/pretrain")
    .option("--resume", "go on from the checkpoint", false)
    .option("--seed <n>", "seed of data and initial weights", wholeIn(1, 0xffff_ffff), DEFAULT_SEED)
    .option("--tasks <n>", "held-out tasks to score on", positive, 400)
    .option("--report <file>", "curve and scores as JSON", "docs/evidence/pretrain.json")
    .option("--no-report", "write no curve")
    .option("--json", "end with one JSON object on standard output", false);
  const options = program
    .parse(argv)
    .opts<Omit<PretrainCommandOptions, "report"> & { report: string | false }>();
  return { ...options, report: options.report === false ? null : options.report };
}
