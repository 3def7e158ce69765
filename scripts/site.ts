/** A site of the user: a file or package that exports an environment, for the loop to run instead of the shop. */
import { join } from "node:path";
import { ENVIRONMENTS, type EnvironmentSpec } from "@waggle/environments";
import { WaggleError } from "@waggle/protocol";
import { environmentFrom } from "../trainer/src/extensions/environment-module.ts";
import { moduleSource, resolvedFile } from "../trainer/src/extensions/module-source.ts";
import {
  baseText,
  ENVIRONMENT_BASE,
  environmentBase,
} from "../trainer/src/pretrain/environment-base.ts";
import { ROOT } from "./stack.ts";

/** A loaded site. */
export type Site = {
  /** The environment's name. */
  readonly name: string;
  /** The absolute path of its file, with `#name` of the export. */
  readonly source: string;
  readonly environment: EnvironmentSpec;
};

/**
 * Loads a site.
 *
 * @throws WaggleError `NOT_FOUND`, `INVALID_ARGUMENT` naming the source and what to write instead.
 */
export async function siteFrom(source: string, folder: string = process.cwd()): Promise<Site> {
  if (ENVIRONMENTS.some(({ name }) => name === source)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `--site takes the file or package of a site, and ${source} is a built-in environment; pass a file such as ./my-site.ts, or leave --site out for the demo shop`,
    );
  }
  const { module, exportName } = moduleSource(source);
  // First, because its error names no built-in environments.
  const file = resolvedFile("--site", module, folder);
  const environment = await environmentFrom(source, folder, "--site");
  return { name: environment.name, source: `${file}#${exportName}`, environment };
}

/**
 * The folder of the site's base model. Makes the model if there is none for these demonstrations, which takes some
 * minutes. An interrupted run goes on with it.
 *
 * @throws WaggleError if the environment has no demonstrations.
 */
export async function siteBase(
  { name, environment }: Site,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const folder = join(ROOT, ".waggle", "bases", name);
  await environmentBase(
    environment,
    folder,
    ENVIRONMENT_BASE,
    (progress) => say(baseText(name, progress)),
    signal,
  );
  return folder;
}
