/**
 * Options that several commands share, each declared once; an argument gives what differs. An option
 * of a single command is declared by the command.
 */
import type { Precision } from "@waggle/engine";
import type { ResidentFormat } from "@waggle/model";
import { InvalidArgumentError, Option } from "commander";
import { ALL_SITES, DEFAULT_SITE, SiteId } from "@waggle/protocol";
import { join } from "node:path";
import { NANO_MODEL } from "../model/shipped-models.ts";
import {
  existingModel,
  httpUrl,
  megabytes,
  number,
  positive,
  setting,
  whole,
  wholeIn,
} from "./option-values.ts";
import { CREDENTIAL_VARIABLES, type CredentialRole } from "./credentials.ts";

/** `--json`, for commands that print results and progress as JSON. */
export function jsonOption(): Option {
  return new Option("--json", "print results and progress as JSON").default(false);
}

export function listOption(what: string): Option {
  return new Option("--list", what).default(false);
}

type SeedRange = { readonly least?: number; readonly most?: number; readonly byDefault?: number };

export function seedOption(
  what: string = "random seed",
  { least = 0, most = Number.MAX_SAFE_INTEGER, byDefault = 1 }: SeedRange = {},
): Option {
  return new Option("--seed <n>", what).argParser(wholeIn(least, most)).default(byDefault);
}

export function seedsOption(what: string): Option {
  return new Option("--seeds <n>", what).argParser(positive);
}

export function stepsOption(what: string): Option {
  return new Option("--steps <n>", what).argParser(positive);
}

export function epochsOption(what: string, byDefault: number): Option {
  return new Option("--epochs <n>", what).argParser(positive).default(byDefault);
}

/** Without a parser or default: commands differ in what the folder must have. */
export function modelFolderOption(what: string): Option {
  return new Option("--model <folder>", what);
}

export function modelOption(): Option {
  return modelFolderOption("base model in Hugging Face's layout, or default or nano")
    .argParser(existingModel)
    .default(NANO_MODEL, "the nano model");
}

const FORMATS: readonly ResidentFormat[] = ["f32", "f16", "int8", "int4"];

/** The number format of the frozen weights. */
export function baseOption(): Option {
  return new Option("--base <format>", "number format of the frozen weights")
    .choices(FORMATS)
    .default("f32");
}

const PRECISIONS: readonly Precision[] = ["f32", "f16"];

export function precisionOption(): Option {
  return new Option("--precision <format>", "precision of large matrix products; f16 is for GPUs")
    .choices(PRECISIONS)
    .default("f32");
}

export function basesOption(): Option {
  return new Option("--bases <folder>", "cache of the environments' base models").default(
    ".waggle/bases",
  );
}

function siteId(text: string): string {
  const parsed = SiteId.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError(`a site's id ${parsed.error.issues[0]?.message}`);
}

/** The site of an edge that serves several. */
export function siteOption(
  what = "site of an edge that serves several; without it, the credential's own",
): Option {
  return new Option("--site <id>", what).argParser(siteId);
}

/** The sites of an edge that one process serves. */
export function sitesOption(): Option {
  return siteOption(
    "site of an edge that serves several, or all; may be repeated (default: the credential's own)",
  ).argParser((text, before: readonly string[] | undefined) => {
    const id = siteId(text);
    if (before?.includes(id)) throw new InvalidArgumentError(`The site ${id} is given twice.`);
    if (before !== undefined && [id, ...before].includes(ALL_SITES)) {
      throw new InvalidArgumentError(`Write --site ${ALL_SITES} without other sites.`);
    }
    return [...(before ?? []), id];
  });
}

/** A site's folder in the state folder. That of `default` is the state folder itself, as before there were sites. */
export function siteFolder(state: string, site: string = DEFAULT_SITE): string {
  return site === DEFAULT_SITE ? state : join(state, "sites", site);
}

export function stateOption(): Option {
  return new Option("--state <folder>", "folder for checkpoints, adapters and metrics").default(
    ".waggle/trainer",
  );
}

export function settingOption(): Option {
  return new Option("--set <name=value>", "change a setting of the recipe; may be repeated")
    .argParser(setting)
    .default({}, "none");
}

/** @param what - the use of the recipe, as the help text. */
export function recipeOption(what: string, byDefault: string): Option {
  return new Option("--recipe <name>", what).default(byDefault);
}

/** An adapter to start from has its own rank. */
export function rankOption(byDefault: number): Option {
  return new Option("--rank <n>", "LoRA rank of the adapter")
    .argParser(positive)
    .default(byDefault)
    .conflicts("adapter");
}

/** @param byDefault - text for the default in the help */
export function turnTokensOption(byDefault: string): Option {
  return new Option(
    "--turn-tokens <n>",
    `maximum number of tokens per turn (default: ${byDefault})`,
  ).argParser(positive);
}

/** Sampling as in pages whose option `constrainToolCalls` is false. */
export function freeToolCallsOption(): Option {
  return new Option(
    "--no-constrain-tool-calls",
    "sample tool calls without their grammar, for a site whose pages do so",
  );
}

export function tensorboardOption(): Option {
  return new Option("--tensorboard", "write TensorBoard event files beside metrics.jsonl").default(
    false,
  );
}

export function alphaOption(): Option {
  return new Option("--alpha <n>", "LoRA alpha (default: twice the rank)")
    .argParser(number)
    .conflicts("adapter");
}

export function adapterOption(
  what: string = "start from this adapter, in PEFT's layout (default: a new adapter)",
): Option {
  return new Option("--adapter <folder>", what);
}

/** @param byDefault - absent: all threads */
export function threadsOption(byDefault?: number): Option {
  const all = byDefault === undefined ? " (default: all)" : "";
  return new Option("--threads <n>", `CPU threads per graph${all}`)
    .argParser(positive)
    .default(byDefault);
}

export function memoryLimitOption(
  what: string = "memory limit for training (default: the free memory)",
): Option {
  return new Option("--memory-limit <MB>", what).argParser(megabytes);
}

/** @param byDefault - absent: the engine decides */
export function microbatchTokensOption(byDefault?: number): Option {
  const all = byDefault === undefined ? " (default: as many as the memory allows)" : "";
  return new Option("--microbatch-tokens <n>", `maximum number of tokens per forward pass${all}`)
    .argParser(positive)
    .default(byDefault);
}

export function tasksOption(
  byDefault: number,
  what: string = "held-out tasks per evaluation",
): Option {
  return new Option("--tasks <n>", what).argParser(positive).default(byDefault);
}

export function evaluationTasksOption(): Option {
  return new Option("--evaluation-tasks <n>", "frozen held-out tasks per evaluation")
    .argParser(positive)
    .default(128);
}

export function promotionMarginOption(): Option {
  const what = "largest drop in held-out success that is attributed to noise";
  return new Option("--promotion-margin <rate>", what).argParser(number).default(0.03);
}

export function evaluateEveryOption(): Option {
  return new Option("--evaluate-every <n>", "steps between evaluations; 0 = only at the end")
    .argParser(whole)
    .default(0);
}

export function edgeOption(): Option {
  return new Option("--edge <url>", "origin of the edge")
    .argParser(httpUrl)
    .default("http://127.0.0.1:8787");
}

/** `--credential`. Its default is a variable of the environment. */
export function credentialOption(role: CredentialRole): Option {
  return new Option(
    "--credential <token>",
    `the ${role}'s credential (default: ${CREDENTIAL_VARIABLES[role]})`,
  );
}

/** `--as`, for commands that the audit log records. */
export function operatorNameOption(): Option {
  return new Option(
    "--as <name>",
    "your name in the audit log (default: the user of this machine)",
  );
}

/** @param verb - what the command does with the version */
export function withoutEvaluationOption(verb: string): Option {
  return new Option(
    "--without-evaluation",
    `${verb} even if no evaluation passes the gate`,
  ).default(false);
}

export function limitOption(what: string): Option {
  return new Option("--limit <n>", what).argParser(positive);
}

export function fromOption(what: string): Option {
  return new Option("--from <source>", what).makeOptionMandatory();
}

/** Not required; `makeOptionMandatory` makes it so. */
export function outOption(what: string): Option {
  return new Option("--out <path>", what);
}

/** The folder of measurements that commands add to. */
export function outputOption(what: string, byDefault: string): Option {
  return new Option("--output <folder>", what).default(byDefault);
}

export function forceOption(): Option {
  return new Option("--force", "overwrite existing output").default(false);
}

/** @param byDefault - a folder; absent: one that the settings name, in `.waggle/runs` */
export function runOption(byDefault?: string): Option {
  const named = byDefault === undefined ? " (default: one in .waggle/runs)" : "";
  return new Option("--run <folder>", `folder of checkpoint and metrics${named}`).default(
    byDefault,
  );
}

/** Every command resumes by default. @param what - what is started over, as the help text */
export function noResumeOption(
  what: string = "start over even if the folder has an unfinished run",
): Option {
  return new Option("--no-resume", what);
}

/**
 * `--resume` of earlier releases: as by default, but it is an error if there is nothing to resume.
 * Must be added before `--no-resume`. Without both, the value is `undefined`.
 */
export function mustResumeOption(): Option {
  return new Option("--resume", "fail if there is no unfinished run").hideHelp();
}

export function saveEveryOption(steps = 5): Option {
  const option = new Option("--save-every <n>", "steps between checkpoints");
  return option.argParser(positive).default(steps);
}
