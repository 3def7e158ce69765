/**
 * Options that several commands share, each declared once. Other options are declared by their
 * commands.
 */
import { ENVIRONMENTS } from "@waggle/environments";
import { Option } from "commander";
import { NANO_MODEL } from "../model/nano-model.ts";
import {
  existingModel,
  httpUrl,
  megabytes,
  number,
  positive,
  setting,
  whole,
} from "./option-values.ts";

/** `--json`, for commands that print results and progress as JSON. */
export function jsonOption(): Option {
  return new Option("--json", "print results and progress as JSON").default(false);
}

export function seedOption(): Option {
  return new Option("--seed <n>", "random seed").argParser(whole).default(1);
}

export function modelOption(): Option {
  return new Option("--model <folder>", "base model in Hugging Face's layout")
    .argParser(existingModel)
    .default(NANO_MODEL, "the nano model");
}

export function basesOption(): Option {
  return new Option("--bases <folder>", "cache of the environments' base models").default(
    ".waggle/bases",
  );
}

export function stateOption(): Option {
  return new Option("--state <folder>", "folder for checkpoints, adapters and metrics").default(
    ".waggle/trainer",
  );
}

export function settingOption(): Option {
  return new Option("--set <name=value>", "change an option of the recipe; may be repeated")
    .argParser(setting)
    .default({}, "none");
}

/** @param what - the use of the recipe, as the help text. */
export function recipeOption(what: string, byDefault: string): Option {
  return new Option("--recipe <name>", what).default(byDefault);
}

export function rankOption(byDefault: number): Option {
  return new Option("--rank <n>", "LoRA rank of the adapter")
    .argParser(positive)
    .default(byDefault);
}

/** @param byDefault - text for the default in the help */
export function environmentOption(byDefault: string): Option {
  return new Option(
    "--env <source>",
    `environment: ${ENVIRONMENTS.map(({ name }) => name).join(", ")}, or a file or package that exports one, such as ./my-site.ts#name; default: ${byDefault}`,
  );
}

/** @param byDefault - text for the default in the help */
export function turnTokensOption(byDefault: string): Option {
  return new Option(
    "--turn-tokens <n>",
    `maximum number of tokens per turn; default: ${byDefault}`,
  ).argParser(positive);
}

export function tensorboardOption(): Option {
  return new Option("--tensorboard", "write TensorBoard event files beside metrics.jsonl").default(
    false,
  );
}

export function alphaOption(): Option {
  return new Option("--alpha <n>", "LoRA alpha; default: twice the rank").argParser(number);
}

export function threadsOption(): Option {
  return new Option("--threads <n>", "CPU threads per graph; default: all").argParser(positive);
}

export function memoryLimitOption(): Option {
  return new Option(
    "--memory-limit <MB>",
    "memory limit for training; default: the free memory",
  ).argParser(megabytes);
}

export function edgeOption(): Option {
  return new Option("--edge <url>", "origin of the edge")
    .argParser(httpUrl)
    .default("http://127.0.0.1:8787");
}

export function trainerCredentialOption(): Option {
  return new Option(
    "--credential <token>",
    "the trainer's credential; default: WAGGLE_TRAINER_CREDENTIAL",
  );
}

export function operatorCredentialOption(): Option {
  return new Option(
    "--credential <token>",
    "the operator's credential; default: WAGGLE_OPERATOR_CREDENTIAL",
  );
}

export function operatorNameOption(): Option {
  return new Option("--as <name>", "your name in the audit log; default: the user of this machine");
}

export function forceOption(): Option {
  return new Option("--force", "overwrite existing output").default(false);
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
