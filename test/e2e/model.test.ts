/**
 * `waggle model --serve`, and `waggle dev --no-trainer` with the same model: the edge serves the converted files, and a
 * page that loads them from its address samples the tokens of the folder. `npm test` runs the parts:
 * `test/contract/model-command.test.ts` for the command, `start.test.ts` for the stack.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PolicyManifest } from "@waggle/protocol";
import { loadModel, openModel } from "@waggle/runtime";
import { convertModel, openModelFolder } from "@waggle/runtime/node";
import { publishBase } from "@waggle/trainer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { siteFrom } from "@waggle/dev";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { startEdge } from "../../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { createFallbackStorage } from "../../packages/runtime/src/store/chunk-storage.ts";
import { ROOT } from "../../scripts/root.ts";
import { isLong } from "../fixtures/long.ts";
import { tinyModel, tokensOf } from "../fixtures/tiny-models.ts";

const SITE = "./test/fixtures/doors-site.ts#doors";

let root: string;
beforeAll(() => {
  // Its name is in the state folder of the site.
  root = mkdtempSync(join(tmpdir(), "waggle-served-"));
  for (const { path, bytes } of tinyModel("qwen3")) writeFileSync(join(root, path), bytes);
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  rmSync(join(ROOT, ".waggle/local-doors-int4"), { recursive: true, force: true });
});

class Command {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;

  constructor(...args: readonly string[]) {
    const main = join(ROOT, "packages/cli/src/main.ts");
    this.#child = spawn(process.execPath, ["--conditions=source", main, ...args], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream
        ?.setEncoding("utf8")
        .on("data", (text: string) => this.lines.push(...text.split("\n")));
    }
  }

  /** The edge's address, once everything runs. */
  async edge(): Promise<string> {
    for (let tries = 0; tries < 5400 && this.#child.exitCode === null; tries += 1) {
      const found = /edge +(http:\S+) +OpenAPI/.exec(this.lines.join("\n"))?.[1];
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`the edge did not start:\n${this.lines.join("\n")}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGINT");
    await exit;
  }
}

/** What a page of this edge samples. */
async function servedTokens(edge: string): Promise<readonly number[]> {
  const manifest = PolicyManifest.parse(await (await fetch(`${edge}/v1/policies/stable`)).json());
  const storage = createFallbackStorage(null);
  const model = await loadModel(
    { kind: "objects", baseUrl: edge, model: manifest.baseModel },
    { storage },
  );
  expect(model.storedFormat).toBe("int4");
  return tokensOf(await openModel(model, { storage }), "int4");
}

test.runIf(isLong())(
  "an edge without a trainer serves the base that waggle dev publishes",
  async () => {
    const out = join(root, "published");
    await convertModel({ source: root, format: "int4", out });
    const site = await siteFrom(SITE, ROOT);
    const installation = openInstallation(join(root, "edge"));
    await migrate(installation, site);
    const port = await freePort();
    const edge = await startEdge(installation, { port, site });
    try {
      const baseUrl = `http://127.0.0.1:${port}`;
      const hasBaseModel = async () => (await fetch(`${baseUrl}/v1/policies/stable`)).ok;
      expect(await hasBaseModel()).toBe(false);
      await publishBase(out, { baseUrl, credential: installation.trainerCredential });
      expect(await hasBaseModel()).toBe(true);
      expect(await servedTokens(baseUrl)).toEqual(
        await tokensOf(await openModelFolder(out), "int4"),
      );
    } finally {
      await edge.stop();
    }
  },
  600_000,
);

test.runIf(isLong())(
  "waggle dev --no-trainer serves the model that it was last started with",
  async () => {
    const state = join(root, "changed");
    const served: string[] = [];
    for (const type of ["qwen2", "smollm3"] as const) {
      const model = join(root, type);
      mkdirSync(model);
      for (const { path, bytes } of tinyModel(type)) writeFileSync(join(model, path), bytes);
      const dev = new Command("dev", SITE, "--model", model, "--no-trainer", "--state", state);
      try {
        const response = await fetch(`${await dev.edge()}/v1/policies/stable`);
        served.push(PolicyManifest.parse(await response.json()).baseModel.sha256);
      } finally {
        await dev.stop();
      }
    }
    expect(new Set(served).size).toBe(2);
  },
  600_000,
);

test.runIf(isLong())(
  "a converted model is served with a trainer and without one",
  async () => {
    const out = join(root, "int4");
    const model = new Command("model", root, "--out", out, "--serve", SITE);
    try {
      const served = await servedTokens(await model.edge());
      expect(served).toEqual(await tokensOf(await openModelFolder(out), "int4"));
      const text = model.lines.join("\n");
      expect(text).toMatch(/^model {6}\S+: qwen3, 0\.1 M parameters, as int4$/m);
      await expect
        .poll(() => model.lines.join("\n"), { timeout: 60_000 })
        .toMatch(/trainer.*started/);
      expect(text).not.toMatch(/trainer ended/);
    } finally {
      await model.stop();
    }
    const state = join(root, "state");
    const dev = new Command("dev", SITE, "--model", out, "--no-trainer", "--state", state);
    try {
      expect(await servedTokens(await dev.edge())).toEqual(
        await tokensOf(await openModelFolder(out), "int4"),
      );
    } finally {
      await dev.stop();
    }
  },
  1_200_000,
);
