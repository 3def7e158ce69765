/**
 * `npm run eval-base`: evaluates the model that `npm start` uses, or another one, on requests as people type them, on the
 * Berkeley Function Calling Leaderboard and on tools that it has never seen.
 */
import { writeFileSync } from "node:fs";
import { InvalidArgumentError } from "commander";
import { stopSignal } from "../../../packages/dev/src/index.ts";
import { siteModel } from "../../../packages/dev/src/site/site.ts";
import { createCommand, exitCodeOf } from "../../../trainer/src/commands/command-line.ts";
import {
  existingModel,
  namesOf,
  number,
  positive,
} from "../../../trainer/src/options/option-values.ts";
import { jsonOption, seedOption } from "../../../trainer/src/options/shared-options.ts";
import { MESSAGES } from "../src/typed-requests/held-out-messages.ts";
import { START_SITE } from "../../../scripts/demo.ts";
import { openEvaluated, writeCalibration } from "./evaluated-model.ts";
import { evaluate, type EvalPart, fitCalibration, PARTS } from "./evaluation.ts";
import { reportLines } from "./report.ts";

const options = createCommand("npm run eval-base --")
  .description(
    "evaluate a model on requests as people type them, on held-out talks, on BFCL's simple and multiple categories, and on unseen tools",
  )
  .option(
    "--model <folder>",
    "model folder, or default or nano (default: the one that npm start uses)",
    existingModel,
  )
  .option("--only <parts>", `parts to run, of ${PARTS.join(",")} (default: all)`, namesOf(PARTS))
  .option("--temperature <t>", "sampling temperature; 0 is greedy", temperatureOf, 0)
  .option("--tasks <n>", "held-out talks of each level, and tasks with unseen tools", positive, 400)
  .option(
    "--fit-calibration <n>",
    "first fit calibration.json in the model folder on n held-out messages",
    positive,
  )
  .option(
    "--ask-when-unsure [p]",
    "also play the typed requests with a person who is asked before a call that changes the cart, if it is right with a probability below p (default: 0.5)",
    probabilityOf,
  )
  .addOption(seedOption())
  .addOption(jsonOption())
  .option("--out <file>", "also write the report into this file, as JSON")
  .parse()
  .opts<{
    model?: string;
    only?: EvalPart[];
    temperature: number;
    tasks: number;
    fitCalibration?: number;
    askWhenUnsure?: number | true;
    seed: number;
    json: boolean;
    out?: string;
  }>();

const say = (line: string): void => void process.stderr.write(`${line}\n`);

try {
  const signal = stopSignal();
  const { temperature, seed, tasks, fitCalibration: fitted } = options;
  const folder = options.model ?? (await siteModel(await START_SITE.load(), say, signal));
  const model = await openEvaluated(folder, { temperature, seed });
  const shared = { temperature, say, signal };
  try {
    if (fitted !== undefined) {
      const calibration = await fitCalibration(model, MESSAGES, fitted, shared);
      say(`wrote ${writeCalibration(folder, calibration)}`);
    }
    const parts = new Set(options.only ?? PARTS);
    const { askWhenUnsure: asked } = options;
    const confirmBelow = asked === true ? 0.5 : asked;
    const report = await evaluate(model, { ...shared, parts, tasks, confirmBelow });
    const json = JSON.stringify(report);
    if (options.out !== undefined) writeFileSync(options.out, `${json}\n`);
    for (const line of options.json ? [json] : reportLines(report)) {
      process.stdout.write(`${line}\n`);
    }
  } finally {
    await model.policy.dispose();
  }
} catch (error) {
  // The entry point of the process: the only place that converts a failure into an exit code.
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = exitCodeOf(error);
}

function probabilityOf(text: string): number {
  const value = number(text);
  if (value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError("It must be a number from 0 to 1.");
}

function temperatureOf(text: string): number {
  const value = number(text);
  if (value >= 0) return value;
  throw new InvalidArgumentError("It must be 0 or more.");
}
