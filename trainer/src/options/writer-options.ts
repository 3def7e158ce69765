/** Options of the writer of text: which server, which model; and what a run without one is told. */
import { writeFile } from "node:fs/promises";
import { guidanceOf } from "@waggle/learning";
import type { PartPorts, Recipe, Stage, StateValues } from "@waggle/learning";
import { WaggleError, writeGuidance } from "@waggle/protocol";
import type { Command } from "commander";
import { httpUrl } from "./option-values.ts";
import { createHttpWriter, judgeBy } from "../recipes/http-writer.ts";

export type WriterFlags = {
  readonly writer?: string;
  readonly writerModel?: string;
  readonly saveText?: string;
};

/** Of the key that a writer's server asks for. */
const KEY_VARIABLE = "WAGGLE_WRITER_KEY";

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
 * The writer, and a judge by the same model.
 *
 * @throws WaggleError `CAPABILITY_MISSING` where the recipe needs one and none was named.
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
    `recipe ${recipe.name} needs a model that writes${stage.writing?.how.asks === true ? "" : " judgements"}, got none; name one with --writer <url of an OpenAI-compatible server> and --writer-model`,
  );
}

/** Writes what a run learned in words, where it is asked for. */
export async function saveText({ saveText: file }: WriterFlags, state: StateValues): Promise<void> {
  if (file === undefined) return;
  const guidance = guidanceOf(state);
  if (guidance === null) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "--save-text needs a recipe that learns prompts, lessons or cases, got one that learns weights; leave it out",
    );
  }
  await writeFile(file, writeGuidance(guidance));
}

function needsWriter({ writing, state }: Stage): boolean {
  return (
    writing?.how.asks === true || (state.judge !== undefined && state.judge.initial === undefined)
  );
}
