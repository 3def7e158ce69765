/** An environment with the code that repeats rollouts, as one module for workerd and browsers. Vite bundles it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CheckedEnvironment } from "@waggle/trainer";
import type * as Vite from "vite";
import { FROM_SOURCE, ownProgram, toolFile } from "../processes/installed.ts";

/** The module, and the author's files in it. */
export type EnvironmentBundle = {
  readonly code: string;
  readonly sources: readonly { readonly file: string; readonly text: string }[];
};

/** The folder with the packages of Waggle. */
const OWN = join(import.meta.dirname, "../../..");
const ENTRY = "virtual:waggle/replay";
const RESOLVED = `\0${ENTRY}`;

/** @throws the bundler's error, for example if the environment imports a module of Node. */
export async function environmentBundle(
  environment: CheckedEnvironment,
): Promise<EnvironmentBundle> {
  const { project } = environment;
  const vite = (await import(pathToFileURL(toolFile("vite", project)).href)) as typeof Vite;
  const built = await vite.build({
    configFile: false,
    envFile: false,
    publicDir: false,
    root: project,
    logLevel: "silent",
    plugins: [entryPlugin(environment)],
    resolve: {
      conditions: [...(FROM_SOURCE ? ["source"] : []), ...vite.defaultClientConditions],
    },
    build: {
      write: false,
      minify: false,
      target: "es2023",
      rolldownOptions: {
        input: ENTRY,
        preserveEntrySignatures: "strict",
        output: { format: "es", codeSplitting: false },
      },
    },
  });
  const outputs = (Array.isArray(built) ? built : [built]) as Vite.Rolldown.RolldownOutput[];
  const chunks = outputs.flatMap(({ output }) => output).filter((one) => one.type === "chunk");
  const files = chunks
    .flatMap(({ moduleIds }) => moduleIds)
    .filter((id) => id.startsWith("/") || /^[A-Za-z]:/.test(id))
    .filter((id) => !id.startsWith(OWN) && !/[\\/]node_modules[\\/]/.test(id));
  const sources = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(file, "utf8") })),
  );
  return { code: chunks.map(({ code }) => code).join("\n"), sources };
}

function entryPlugin(environment: CheckedEnvironment): Vite.Plugin {
  return {
    name: "waggle-replay",
    resolveId: (id) => (id === ENTRY ? RESOLVED : null),
    load: (id) => (id === RESOLVED ? entryOf(environment) : null),
  };
}

/** A module with `replay`, which is also a Worker. */
function entryOf({ file, exportName, reward }: CheckedEnvironment): string {
  const text = JSON.stringify;
  const rewarded =
    reward === null
      ? "const spec = environment;"
      : `import reward from ${text(reward)};
const spec = withReward(environment, ${text(reward)}, reward);`;
  return `
import { repeatedTurns, withReward } from ${text(ownProgram("runtimes/repeated-turns"))};
import { ${exportName} as environment } from ${text(file)};
${rewarded}
export const replay = (recorded) => repeatedTurns(spec, recorded);
const worker = {
  fetch: async (request) => new Response(await replay(await request.text())),
};
export { worker as default };
`;
}
