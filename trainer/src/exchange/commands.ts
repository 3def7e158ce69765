/**
 * `export` and `import`: converts collected trajectories to the files of other trainers, and
 * conversations back.
 */
import { type Conversation, readJsonLines, type TextReader } from "@waggle/exchange";
import { environmentOf, type EnvironmentSpec } from "@waggle/environments";
import { type TrajectoryDetail, WaggleError } from "@waggle/protocol";
import { type Command, Option } from "commander";
import { environmentFrom } from "../extensions/environment-module.ts";
import { openBaseModel } from "../model/base-model.ts";
import { DEFAULT_EDGE_RECIPE, edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { EXPORT_FORMATS, type ExportFormat } from "./export-options.ts";
import { exportRecords } from "./export-records.ts";
import { IMPORT_FORMATS, type ImportFormat, importRows } from "./import-rows.ts";
import { requireFree, textOf, writeOutput } from "../files/output.ts";
import { CREDENTIAL_VARIABLES } from "../options/credentials.ts";
import { type Reasons, reasonsText } from "./reasons.ts";
import { readRecords } from "./record-source.ts";
import { textRowsSummary } from "./text-rows.ts";
import { environmentOption } from "../options/environment-option.ts";
import {
  forceOption,
  fromOption,
  jsonOption,
  limitOption,
  modelOption,
  outOption,
  credentialOption,
  recipeOption,
} from "../options/shared-options.ts";

export type ExchangeCommandOptions = {
  readonly signal: AbortSignal;
  readonly writeOut: (line: string) => void;
  readonly writeError: (line: string) => void;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly fetch?: typeof fetch | undefined;
};

type FileFlags = { from: string; out: string; force: boolean; json: boolean };
type ExportFlags = FileFlags & {
  format: ExportFormat;
  model: string;
  env?: string;
  credential?: string;
  recipe: string;
  limit?: number;
  includeFailures: boolean;
  tokens: boolean;
  firstTurnOnly: boolean;
  keepRestricted: boolean;
};
type ImportFlags = FileFlags & { format: ImportFormat };

/** Records between two lines of progress. */
const PROGRESS_EVERY = 200;

export function addExchangeCommands(program: Command, options: ExchangeCommandOptions): void {
  const { writeOut, writeError } = options;

  withFiles(program.command("export"), "file to write (a folder for atif)")
    .description("convert collected trajectories to the format of another trainer")
    .addOption(format(EXPORT_FORMATS))
    .addOption(fromOption("URL of an edge, or a file that --format waggle wrote"))
    .addOption(credentialOption("operator"))
    .addOption(environmentOption("the trajectories' own, if it is built in"))
    .addOption(modelOption())
    .addOption(
      recipeOption(
        "recipe that computes the advantages for verl and prime-rl",
        DEFAULT_EDGE_RECIPE,
      ),
    )
    .addOption(limitOption("maximum number of trajectories to read (default: all)"))
    .option("--include-failures", "trl-sft: include trajectories that did not succeed", false)
    .option("--tokens", "trl-sft: write input_ids and labels instead of messages", false)
    .option("--first-turn-only", "trl-dpo, trl-kto: write only the first turn as completion", false)
    .option(
      "--keep-restricted",
      "verl, prime-rl: also train on tokens that a grammar forced",
      false,
    )
    .action(async (given: ExportFlags) => {
      await requireFree(given.out, given.force);
      const own = given.env === undefined ? [] : [await environmentFrom(given.env)];
      const model = await openBaseModel(given.model);
      const records = await collect(given, options);
      const exported = await exportRecords(
        records,
        { format: model.format, describeTask: describing(own) },
        {
          format: given.format,
          recipe: edgeRecipeNamed(given.recipe),
          includesFailures: given.includeFailures,
          asTokens: given.tokens,
          firstTurnOnly: given.firstTurnOnly,
          keepsRestricted: given.keepRestricted,
        },
      );
      const { files, rows, leftOut, restrictedTokens, text } = exported;
      requireSome(rows, records.length, { ...leftOut, ...text?.leftOut }, "export");
      const bytes = await writeOutput(given.out, files);
      const summary = {
        format: given.format,
        out: given.out,
        bytes,
        records: records.length,
        rows,
      };
      const more = { leftOut, restrictedTokens, text };
      writeOut(
        given.json
          ? JSON.stringify({ ...summary, ...more })
          : `${given.out}: ${rows} rows of ${given.format} from ${records.length} trajectories${reasonsText("left out", leftOut)}${textRowsSummary(text, given.format === "trl-sft")}${restrictedTokens > 0 ? `; ${restrictedTokens} forced tokens masked` : ""}`,
      );
    });

  withFiles(program.command("import"), "file to write")
    .description("convert conversations of another format to the input of imitate")
    .addOption(format(IMPORT_FORMATS))
    .addOption(fromOption("input file: JSON lines, or one JSON array"))
    .action(async (given: ImportFlags) => {
      await requireFree(given.out, given.force);
      const lines = readJsonLines(await textOf(given.from, "--from"));
      const { conversations, refused } = importRows(lines, given.format);
      requireSome(conversations.length, lines.length, refused, "import");
      if (!given.json) writeError(`read ${lines.length} lines of ${given.from}`);
      const bytes = await writeOutput(given.out, [{ name: null, content: linesOf(conversations) }]);
      const summary = {
        format: given.format,
        out: given.out,
        bytes,
        lines: lines.length,
        conversations: conversations.length,
        refused,
      };
      writeOut(
        given.json
          ? JSON.stringify(summary)
          : `${given.out}: ${conversations.length} conversations from ${lines.length} lines${reasonsText("refused", refused)}`,
      );
    });
}

/** Gives the task's request to the policy, if its environment is known. */
function describing(others: readonly EnvironmentSpec[]): TextReader["describeTask"] {
  return async (task) => {
    try {
      return await environmentOf(task, others).create(task).environment.observe();
    } catch (error) {
      if (WaggleError.is(error, "INVALID_ARGUMENT")) return null;
      throw error;
    }
  };
}

async function collect(
  given: ExportFlags,
  { environment, fetch, signal, writeError }: ExchangeCommandOptions,
): Promise<TrajectoryDetail[]> {
  const credential = given.credential ?? environment[CREDENTIAL_VARIABLES.operator];
  const records: TrajectoryDetail[] = [];
  for await (const record of readRecords({ from: given.from, credential, fetch, signal })) {
    if (records.length >= (given.limit ?? Infinity)) break;
    records.push(record);
    if (records.length % PROGRESS_EVERY !== 0) continue;
    writeError(
      given.json
        ? JSON.stringify({ event: "read", trajectories: records.length })
        : `read ${records.length} trajectories`,
    );
  }
  return records;
}

function* linesOf(conversations: readonly Conversation[]): Iterable<string> {
  for (const conversation of conversations) yield `${JSON.stringify(conversation)}\n`;
}

function requireSome(rows: number, read: number, reasons: Reasons, verb: string): void {
  if (rows > 0) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `nothing to ${verb}: none of ${read} records gave a row${reasonsText("because of", reasons)}. No file was written`,
  );
}

function withFiles(command: Command, out: string): Command {
  return command
    .addOption(outOption(out).makeOptionMandatory())
    .addOption(forceOption())
    .addOption(jsonOption());
}

function format(names: readonly string[]): Option {
  return new Option("--format <name>", "format of the file").choices(names).makeOptionMandatory();
}
