/** Options of the writer of text: which server, which model; and what a run without one is told. */
import type { PartPorts, Stage, Recipe } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import type { Command } from "commander";
import { createHttpWriter, judgeBy } from "./http-writer.ts";

export type WriterFlags = { readonly writer?: string; readonly writerModel?: string };

/** Of the key that a writer's server asks for. */
const KEY_VARIABLE = "WAGGLE_WRITER_KEY";

export function addWriterOptions(command: Command): Command {
  return command
    .option("--writer <url>", "OpenAI-compatible server that writes text and judges, with its /v1")
    .option("--writer-model <name>", `its model; a key is read from ${KEY_VARIABLE}`);
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

function needsWriter({ writing, state }: Stage): boolean {
  return (
    writing?.how.asks === true || (state.judge !== undefined && state.judge.initial === undefined)
  );
}
