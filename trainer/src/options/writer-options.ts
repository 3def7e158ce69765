/**
 * Options of the text writer: its server and model, and the error of a run that needs one and has
 * none.
 */
import { writeFile } from "node:fs/promises";
import { guidanceOf } from "@waggle/learning";
import type { PartPorts, Recipe, Stage, StateValues } from "@waggle/learning";
import { WaggleError, writeGuidance } from "@waggle/protocol";
import type { Command } from "commander";
import { httpUrl } from "./option-values.ts";
import { createHttpWriter, judgeBy } from "../recipes/http-writer.ts";

/** Parsed values of the writer options. */
export type WriterFlags = {
  readonly writer?: string;
  readonly writerModel?: string;
  readonly saveText?: string;
};

/** Environment variable with the API key of the writer's server. */
const KEY_VARIABLE = "WAGGLE_WRITER_KEY";

/** Adds `--writer`, `--writer-model` and `--save-text`. */
export function addWriterOptions(command: Command): Command {
  return command
    .option(
      "--writer <url>",
      "base URL (with /v1) of an OpenAI-compatible server that writes text and judges",
      httpUrl,
    )
    .option(
      "--writer-model <name>",
      `model on that server; the API key is read from ${KEY_VARIABLE}`,
    )
    .option("--save-text <file>", "save learned text (prompts, lessons, cases), for publish-text");
}

/**
 * The writer, and a judge backed by the same model.
 *
 * @throws WaggleError `CAPABILITY_MISSING` if the recipe needs one and none was given.
 */
export function writerPorts(
  recipe: Recipe,
  { writer: baseUrl, writerModel: model }: WriterFlags,
  environment: { readonly [name: string]: string | undefined } = {},
): Pick<PartPorts, "writer" | "judge"> {
  if (baseUrl !== undefined) {
    const apiKey = environment[KEY_VARIABLE];
    const writer = createHttpWriter({
      baseUrl,
      ...(model === undefined ? {} : { model }),
      ...(apiKey === undefined ? {} : { apiKey }),
    });
    return { writer, judge: judgeBy(writer) };
  }
  const stage = recipe.stages.find(needsWriter);
  if (stage === undefined) return {};
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `recipe ${recipe.name} needs a model that writes${stage.writing?.how.asks === true ? "" : " judgments"}; name one with --writer <url of an OpenAI-compatible server> and --writer-model`,
  );
}

/** Saves what the run learned as text, if requested. */
export async function saveText({ saveText: file }: WriterFlags, state: StateValues): Promise<void> {
  if (file === undefined) return;
  const guidance = guidanceOf(state);
  if (guidance === null) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "this recipe learns weights, not prompts, lessons or cases; leave out --save-text",
    );
  }
  await writeFile(file, writeGuidance(guidance));
}

function needsWriter({ writing, state }: Stage): boolean {
  return (
    writing?.how.asks === true || (state.judge !== undefined && state.judge.initial === undefined)
  );
}
