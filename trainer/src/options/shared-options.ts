/**
 * The options that several commands share, each declared once: one name, one meaning, one sentence. What a command
 * has alone is declared where it is.
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

export function jsonOption(): Option {
  return new Option("--json", "print the result and the progress as JSON").default(false);
}

export function seedOption(): Option {
  return new Option("--seed <n>", "seed of everything random").argParser(whole).default(1);
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
  return new Option("--state <folder>", "checkpoints, adapters and metrics").default(
    ".waggle/trainer",
  );
}

export function settingOption(): Option {
  return new Option("--set <name=value>", "a setting of the recipe; may be repeated")
    .argParser(setting)
    .default({}, "none");
}

/** @param what - what of the command follows it. */
export function recipeOption(what: string, byDefault: string): Option {
  return new Option("--recipe <name>", what).default(byDefault);
}

export function rankOption(byDefault: number): Option {
  return new Option("--rank <n>", "rank of the adapter").argParser(positive).default(byDefault);
}

export function environmentOption(): Option {
  return new Option(
    "--env <name>",
    `one of ${ENVIRONMENTS.map(({ name }) => name).join(", ")}; default: the one that --list gives the recipe`,
  );
}

/** @param byDefault - in words. */
export function turnTokensOption(byDefault: string): Option {
  return new Option(
    "--turn-tokens <n>",
    `most tokens of one turn; default: ${byDefault}`,
  ).argParser(positive);
}

export function alphaOption(): Option {
  return new Option("--alpha <n>", "LoRA alpha; default: twice the rank").argParser(number);
}

export function threadsOption(): Option {
  return new Option("--threads <n>", "CPU threads of one graph; default: all").argParser(positive);
}

export function memoryLimitOption(): Option {
  return new Option(
    "--memory-limit <MB>",
    "most memory that training may take; default: what is free",
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
  return new Option("--force", "overwrite what is there").default(false);
}
