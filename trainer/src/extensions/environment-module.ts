/** An environment by its name among the built-in ones, or from a site, file or package of the user. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ENVIRONMENTS, type EnvironmentSpec, findEnvironment } from "@waggle/environments";
import { isObject, WaggleError } from "@waggle/protocol";
import { loadPractice, siteConfigIn } from "@waggle/site/node";
import { isFilePath, loadExport, moduleSource, resolvedFile } from "./module-source.ts";

/**
 * A user's environment gets a `source` with a digest of its file, so that a run that resumes notices another one.
 *
 * @param option - names the source in errors.
 * @throws WaggleError `INVALID_ARGUMENT`, `NOT_FOUND` saying where it was looked for.
 */
export async function environmentFrom(
  name: string,
  folder: string = process.cwd(),
  option: string = "--env",
): Promise<EnvironmentSpec> {
  const builtIn = ENVIRONMENTS.find((spec) => spec.name === name);
  if (builtIn !== undefined) return builtIn;
  const config = siteConfigIn(resolve(folder, name));
  if (config !== null) return siteEnvironment(config);
  const { module } = moduleSource(name);
  const found = await loadExport(option, name, folder).catch((error: unknown) => {
    if (isFilePath(module) || !WaggleError.is(error, "NOT_FOUND")) throw error;
    const path = resolve(folder, module);
    throw new WaggleError(
      "NOT_FOUND",
      `unknown environment "${name.slice(0, 64)}": it is neither built in (${namesOf()}) nor a package installed in ${folder}. ${existsSync(path) ? `To load the file ${path}, write ./${name}` : "Pass a file such as ./my-environment.ts"}`,
      { cause: error },
    );
  });
  const spec = requireSpec(`${option} ${name}`, found);
  const digest = createHash("sha256").update(await readFile(resolvedFile(option, module, folder)));
  return { ...spec, source: `${name} ${digest.digest("hex").slice(0, 16)}` };
}

/**
 * The environment of a site, with its retention environment. Their sources have digests of the modules that decide tasks
 * and rewards.
 */
async function siteEnvironment(config: string): Promise<EnvironmentSpec> {
  const { environment, files, retentionFile } = await loadPractice(config);
  const source = async (modules: readonly string[]): Promise<string> => {
    const digest = createHash("sha256");
    for (const file of modules) digest.update(await readFile(file));
    return `${config} ${digest.digest("hex").slice(0, 16)}`;
  };
  const { retention } = environment;
  return {
    ...environment,
    source: await source(files),
    ...(retention === undefined || retentionFile === null
      ? {}
      : { retention: { ...retention, source: await source([retentionFile]) } }),
  };
}

function requireSpec(source: string, found: unknown): EnvironmentSpec {
  if (!isSpec(found)) {
    const kind = found === null ? "null" : typeof found;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${source} exports ${kind === "object" ? "an object that is no environment" : kind}; export the result of defineEnvironment({ … }) of @waggle/agent/define`,
    );
  }
  const builtIn = findEnvironment(found.name);
  if (builtIn === undefined) return found;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `${source} has the name of the built-in environment ${found.name}; give it another name`,
  );
}

function isSpec(value: unknown): value is EnvironmentSpec {
  if (!isObject(value) || typeof value["name"] !== "string") return false;
  const functions = ["reference", "levelOf", "task", "create", "demonstrator"];
  return functions.every((name) => typeof value[name] === "function");
}

function namesOf(): string {
  return ENVIRONMENTS.map(({ name }) => name).join(", ");
}
