/** The command line of pretraining. */
import { Command, InvalidArgumentError } from "commander";
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
  const program = new Command("npm run train-base --")
    .description("Train the nano base model from scratch.")
    .option("--steps <n>", "optimizer steps", positiveInteger, DEFAULT_STEPS)
    .option("--out <folder>", "where the model goes", "packages/model/nano")
    .option("--run <folder>", "where the checkpoint goes", ".waggle/pretrain")
    .option("--resume", "go on from the checkpoint", false)
    .option("--seed <n>", "seed of data and initial weights", positiveInteger, DEFAULT_SEED)
    .option("--tasks <n>", "held-out tasks to score on", positiveInteger, 400)
    .option("--report <file>", "curve and scores as JSON", "docs/evidence/pretrain.json")
    .option("--no-report", "write no curve")
    .option("--json", "end with one JSON object on standard output", false);
  const options = program
    .parse(argv)
    .opts<Omit<PretrainCommandOptions, "report"> & { report: string | false }>();
  return { ...options, report: options.report === false ? null : options.report };
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 0xffff_ffff) {
    throw new InvalidArgumentError("must be a positive integer");
  }
  return value;
}
