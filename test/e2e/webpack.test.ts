/** The example page for webpack, built from the packed packages in a project outside the repository, in Chromium. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import webpack, { type Configuration } from "webpack";
import { exampleAnswers } from "../fixtures/example-answers.ts";
import { filesIn } from "../fixtures/files-in.ts";
import { linkProject } from "../fixtures/linked-project.ts";
import { isLong } from "../fixtures/long.ts";
import { packedPackages } from "../fixtures/packed-packages.ts";

const EXAMPLE = join(import.meta.dirname, "../../docs/examples/pages/webpack");
/** Pages that are cross-origin isolated may have threads. */
const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

async function builtFiles(folder: string, mode: "production" | "development") {
  const address = pathToFileURL(join(folder, "webpack.config.mjs")).href;
  const { default: config } = (await import(address)) as { default: Configuration };
  const path = join(folder, "dist");
  rmSync(path, { recursive: true, force: true });
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  webpack({ ...config, mode }, (error, stats) => {
    if (error) return reject(error);
    resolve(stats?.toJson({ all: false, errors: true }).errors?.map((one) => one.message) ?? []);
  });
  expect(await promise).toEqual([]);
  const files = new Map<string, Uint8Array>([
    ["index.html", readFileSync(join(folder, "index.html"))],
  ]);
  for (const [name, bytes] of filesIn(path)) files.set(`dist/${name}`, bytes);
  return files;
}

describe.runIf(isLong())("webpack", () => {
  const folder = mkdtempSync(join(tmpdir(), "waggle-webpack-"));

  beforeAll(() => {
    linkProject(folder, packedPackages());
    cpSync(EXAMPLE, folder, { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ["production", "not isolated", {}],
    ["production", "isolated", ISOLATED],
    ["development", "not isolated", {}],
  ] as const)("a page that webpack builds answers: %s, %s", async (mode, _, headers) => {
    const files = await builtFiles(folder, mode);
    const requested = await exampleAnswers(files, headers);
    // The model is small, but larger ones find onnxruntime's binary and loader.
    expect(requested.filter((url) => url.endsWith(".wasm"))).toEqual([]);
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^dist\/[0-9a-f]+\.wasm$/),
        expect.stringMatching(/^dist\/[0-9a-f]+\.mjs$/),
      ]),
    );
  });
});
