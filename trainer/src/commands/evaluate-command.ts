/** `evaluate`: compares published versions on the same held-out tasks. */
import { unseenPatterns } from "@waggle/environments";
import { type Command, Option } from "commander";
import { assignedEnvironment } from "../edge/assigned-environment.ts";
import { environmentFrom } from "../extensions/environment-module.ts";
import {
  atTemperature,
  comparison,
  type ComparisonProgress,
  evaluateVersions,
} from "../sink/version-comparison.ts";
import { frozenReferences } from "../evaluation/frozen-tasks.ts";
import { readBaseModel } from "../model/base-model.ts";
import { edgeOf, type EdgeOptions, withEdge } from "../options/edge-options.ts";
import { type LearningOptions, PAGE_TURN } from "../options/learning-options.ts";
import { numbers, whole, wholeNumbers } from "../options/option-values.ts";
import { environmentOption } from "../options/environment-option.ts";
import {
  jsonOption,
  modelOption,
  seedOption,
  stateOption,
  tasksOption,
  siteFolder,
  threadsOption,
  freeToolCallsOption,
  turnTokensOption,
} from "../options/shared-options.ts";
import type { ProgramOptions } from "../options/program-options.ts";

type EvaluateOptions = Pick<
  LearningOptions,
  "model" | "threads" | "seed" | "turnTokens" | "constrainToolCalls"
> &
  EdgeOptions & {
    versions?: number[];
    env?: string;
    /** The name of `--env` in earlier releases. */
    environment?: string;
    tasks: number;
    start: number;
    temperatures: number[];
    state: string;
    json: boolean;
  };

export function addEvaluateCommand(program: Command, options: ProgramOptions): void {
  const { signal, writeOut, writeError } = options;
  withEdge(program.command("evaluate"))
    .description("compare versions on the same held-out tasks and print one JSON object")
    .addOption(modelOption())
    .addOption(threadsOption())
    .option(
      "--versions <list>",
      "versions to compare, such as 0,3 (default: the base and the stable version)",
      wholeNumbers,
    )
    .addOption(environmentOption("the one that the edge assigns, if it is built in"))
    .addOption(new Option("--environment <name>", "same as --env").hideHelp())
    .addOption(tasksOption(400))
    .option("--start <n>", "first held-out task; a multiple of four", whole, 0)
    .addOption(seedOption())
    .addOption(turnTokensOption(PAGE_TURN))
    .addOption(freeToolCallsOption())
    .addOption(
      new Option(
        "--temperatures <list>",
        "sampling temperatures in addition to 1, such as 0,0.5; 0 is greedy",
      )
        .argParser(numbers)
        .default([], "none"),
    )
    .addOption(stateOption())
    .addOption(jsonOption())
    .action(async (given: EvaluateOptions) => {
      const { start, tasks: count, seed, turnTokens, constrainToolCalls } = given;
      const own = given.env ?? given.environment;
      const spec =
        own === undefined
          ? assignedEnvironment(await edgeOf(given, options).control(), [], given.site)
          : await environmentFrom(own);
      const model = await readBaseModel(given.model);
      const frozen = { start, count, seed, turnTokens, constrainToolCalls };
      const tasks = { environment: spec.name, ...frozen };
      const source = {
        stateFolder: siteFolder(given.state, given.site),
        edge: () => edgeOf(given, options),
      };
      const temperatures = [...new Set([1, ...given.temperatures])];
      const onProgress = (progress: ComparisonProgress): void =>
        writeError(
          given.json ? JSON.stringify({ event: "evaluation", ...progress }) : text(progress),
        );
      const asked = { ...given, temperatures, environments: [spec], onProgress };
      const results = await evaluateVersions(model, asked, tasks, source, signal);
      const others = given.temperatures.map((temperature) => atTemperature(temperature, results));
      const isUnseen = unseenPatterns(spec, frozenReferences(tasks));
      writeOut(JSON.stringify({ ...comparison(results, isUnseen), temperatures: others }));
    });
}

function text({ version, temperature, done, tasks }: ComparisonProgress): string {
  const sampled = temperature === "greedy" ? "greedily" : `at temperature ${temperature}`;
  return `version ${version} ${sampled}: ${done} of ${tasks} tasks`;
}
