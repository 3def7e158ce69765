/** The trainer of a local installation. Its state is stored beside the edge's. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseStoredFormat } from "@waggle/model";
import { CREDENTIAL_VARIABLES, PUBLISHER_KEY_VARIABLE } from "@waggle/trainer";
import { NODE_OPTIONS, ownProgram } from "../processes/installed.ts";
import { ManagedProcess } from "../processes/managed-process.ts";
import { type LineSink, NODE } from "../processes/programs.ts";
import type { Site } from "../site/site.ts";
import type { Installation } from "./installation.ts";

/** Arguments of Node for a command of the trainer. */
export function trainerCommand(...args: readonly string[]): string[] {
  return [...NODE_OPTIONS, ownProgram("stack/trainer-main"), ...args];
}

/** The option that names a site's environment; a built-in one needs none. */
export function environmentArguments({ source }: Site): string[] {
  return source === undefined ? [] : ["--env", source];
}

/** A quantized model is trained over its weights as they are stored. */
export function baseFormatArguments(model: string): string[] {
  const config = JSON.parse(readFileSync(join(model, "config.json"), "utf8")) as object;
  const stored = parseStoredFormat(config as { readonly [key: string]: unknown });
  return stored === null ? [] : ["--base", stored];
}

/** Options of `startTrainer`. */
export type TrainerOptions = {
  readonly edgeUrl: string;
  readonly model: string;
  /** The site whose trajectories it learns from. */
  readonly site: Site;
  readonly args?: readonly string[];
  /** Files and folders whose modules it cannot load; default: none. */
  readonly refused?: readonly string[];
  readonly onLine?: LineSink;
};

/** Options of Node for a process that cannot load modules of these files and folders. */
function refusing(places: readonly string[]): string[] {
  if (places.length === 0) return [];
  const module = new URL(import.meta.resolve("@waggle/trainer/refuse-modules"));
  for (const place of places) module.searchParams.append("place", place);
  return ["--import", module.href];
}

/** Starts the trainer, in a process that loads no other command. */
export function startTrainer(installation: Installation, options: TrainerOptions): ManagedProcess {
  const { edgeUrl, model, site, args = [], refused = [], onLine } = options;
  return new ManagedProcess({
    name: "trainer",
    command: NODE,
    args: [
      ...NODE_OPTIONS,
      ...refusing(refused),
      fileURLToPath(import.meta.resolve("@waggle/trainer/train-edge")),
      "train-edge",
      ...(site.trainerArguments ?? []),
      "--edge",
      edgeUrl,
      "--model",
      model,
      ...baseFormatArguments(model),
      "--state",
      join(installation.folder, "trainer"),
      ...environmentArguments(site),
      ...args,
    ],
    cwd: site.project,
    env: {
      [CREDENTIAL_VARIABLES.trainer]: installation.trainerCredential,
      [PUBLISHER_KEY_VARIABLE]: installation.publisher?.privateKey ?? "",
    },
    ...(onLine ? { onLine: (line: string) => onLine("trainer", line) } : {}),
  });
}
