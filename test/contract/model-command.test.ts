/** `waggle model` with a folder of each decoder type: from the check to the tokens that a page would sample. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelFile } from "@waggle/model";
import { loadModel, openModel } from "@waggle/runtime";
import { convertModel, openModelFolder } from "@waggle/runtime/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createWaggle } from "../../packages/cli/src/program.ts";
import { createFallbackStorage } from "../../packages/runtime/src/store/chunk-storage.ts";
import { FaultServer } from "../../packages/runtime/src/store/fault-server.fixture.ts";
import { ROOT } from "../../scripts/root.ts";
import { skipOutside } from "../fixtures/long.ts";
import { tinyModel, tokensOf } from "../fixtures/tiny-models.ts";

const COMMIT = "c".repeat(40);

let server: FaultServer;
let root: string;
beforeAll(async () => {
  server = await FaultServer.start();
  root = mkdtempSync(join(tmpdir(), "waggle-models-"));
});
afterEach(() => {
  server.files.clear();
  server.faults.clear();
  server.requests.length = 0;
});
afterAll(async () => {
  rmSync(root, { recursive: true });
  await server.stop();
});

type Lines = { readonly out: string[]; readonly error: string[] };

function command(signal = new AbortController().signal) {
  const lines: Lines = { out: [], error: [] };
  const program = createWaggle({
    signal,
    writeOut: (line) => lines.out.push(line),
    writeError: (line) => lines.error.push(line),
    environment: { HF_ENDPOINT: server.url },
  });
  return {
    lines,
    run: (...args: readonly string[]) => program.parseAsync(["model", ...args], { from: "user" }),
  };
}

async function model(...args: readonly string[]): Promise<string[]> {
  const { lines, run } = command();
  await run(...args);
  return lines.out;
}

/** Writes the files, with some replaced or left out. */
function folderOf(
  files: readonly ModelFile[],
  changes: { readonly [path: string]: string | Uint8Array | null } = {},
): string {
  const folder = mkdtempSync(join(root, "model-"));
  for (const { path, bytes } of files) writeFileSync(join(folder, path), bytes);
  for (const [path, content] of Object.entries(changes)) {
    if (content === null) rmSync(join(folder, path));
    else writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Serves the files as the Hub does. */
function serveAsHub(repository: string, files: readonly ModelFile[]): void {
  const siblings = files.map(({ path, bytes }) => {
    for (const revision of ["main", COMMIT]) {
      server.files.set(`/${repository}/resolve/${revision}/${path}`, { bytes, etag: '"1"' });
    }
    return { rfilename: path, size: bytes.length };
  });
  server.files.set(`/api/models/${repository}/revision/main`, {
    bytes: new TextEncoder().encode(JSON.stringify({ sha: COMMIT, siblings })),
    type: "application/json",
  });
}

test.for([
  ["qwen3", "int4"],
  ["qwen2", "f16"],
  ["llama", "int8"],
  ["smollm3", "f32"],
] as const)(
  "a %s is checked, converted to %s and measured, and a page gets the tokens of the folder",
  async ([modelType, format], context) => {
    skipOutside(modelType === "qwen3" || modelType === "smollm3", context);
    const source = folderOf(tinyModel(modelType));
    const out = join(source, format);
    const lines = await model(source, "--dtype", format, "--out", out);
    expect(lines.map((line) => line.split(" ", 1)[0])).toEqual([
      "model",
      "phone",
      "computer",
      "training",
      "chat",
      "files",
      "speed",
      "memory",
      "to",
    ]);
    const text = lines.join("\n");
    expect(text).toContain(`: ${modelType}, 0.1 M parameters, as ${format}`);
    expect(text).toMatch(/training {3}works on this machine, with \d+ MB/);
    expect(text).toContain("chat       writes tool calls in the format hermes");

    for (const name of readdirSync(out)) {
      server.files.set(`/${name}`, { bytes: readFileSync(join(out, name)), etag: '"1"' });
    }
    const storage = createFallbackStorage(null);
    const loaded = await loadModel({ kind: "url", baseUrl: server.url }, { storage });
    const quantized = format === "int8" || format === "int4" ? format : null;
    expect(loaded.storedFormat).toBe(quantized);
    const fetched = await tokensOf(await openModel(loaded, { storage }), quantized ?? "f32");
    expect(fetched).toHaveLength(16);
    expect(new Set(fetched).size).toBeGreaterThan(1);
    expect(fetched).toEqual(await tokensOf(await openModelFolder(out), quantized ?? "f32"));
    // Quantized files round the scales, which the original does only on a GPU.
    if (quantized !== null) return;
    expect(fetched).toEqual(await tokensOf(await openModelFolder(source), "f32"));
  },
);

test("a download that is killed continues, and leaves no folder that looks complete", async () => {
  const files = tinyModel("llama");
  serveAsHub("org/tiny", files);
  const [first = "", second = ""] = files
    .map(({ path }) => `/org/tiny/resolve/${COMMIT}/${path}`)
    .filter((path) => path.endsWith(".safetensors"));
  server.faults.set(second, [{ kind: "stall", afterBytes: 1000 }]);
  const out = join(root, "killed");
  const child = waggle("org/tiny", "--out", out);
  await expect.poll(() => server.requests, { timeout: 100_000 }).toContain(`GET ${second}`);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(readdirSync(out)).toEqual([".download"]);

  server.requests.length = 0;
  const lines = await model("org/tiny", "--out", out);
  expect(lines.join("\n")).toMatch(/files {6}0\.\d MB of int4 in 1 file: /);
  expect(server.requests.filter((request) => request.includes(first))).toEqual([]);
  const local = join(root, "local");
  await convertModel({ source: folderOf(files), format: "int4", out: local });
  const config = (folder: string) => readFileSync(join(folder, "config.json"), "utf8");
  expect(config(out)).toBe(config(local));
  const tokens = await tokensOf(await openModelFolder(out), "int4");
  expect(tokens).toEqual(await tokensOf(await openModelFolder(local), "int4"));
}, 120_000);

function waggle(...args: readonly string[]): ChildProcess {
  const main = join(ROOT, "packages/cli/src/main.ts");
  return spawn(
    process.execPath,
    ["--conditions=source", "--disable-warning=ExperimentalWarning", main, "model", ...args],
    { env: { ...process.env, HF_ENDPOINT: server.url }, stdio: "ignore" },
  );
}

test("Ctrl-C says that the command can be repeated", async () => {
  const files = tinyModel("qwen3");
  serveAsHub("org/slow", files);
  const weights = `/org/slow/resolve/${COMMIT}/model.safetensors`;
  server.faults.set(weights, [{ kind: "stall", afterBytes: 1000 }]);
  const stop = new AbortController();
  const { lines, run } = command(stop.signal);
  const failed = run("org/slow", "--out", join(root, "stopped")).catch((error: unknown) => error);
  await expect.poll(() => server.requests).toContain(`GET ${weights}`);
  stop.abort();
  expect(await failed).toMatchObject({ name: "AbortError" });
  expect(lines.error).toEqual(["stopped; run it again to continue"]);
});

const TEMPLATE = "tokenizer_config.json";
const json = (files: readonly ModelFile[], path: string): { [key: string]: unknown } => {
  const found = files.find((file) => file.path === path);
  return JSON.parse(new TextDecoder().decode(found?.bytes)) as { [key: string]: unknown };
};
const withTemplate = (files: readonly ModelFile[], template: string | undefined): string =>
  JSON.stringify({ ...json(files, TEMPLATE), chat_template: template });

test("each folder that cannot be used is refused before its weights are read, with what to do", async () => {
  const files = tinyModel("qwen3");
  const config = json(files, "config.json");
  const tokenizer = json(files, "tokenizer.json");
  const cases: readonly [RegExp, Parameters<typeof folderOf>[1]][] = [
    [/no tokenizer\.json; write one with AutoTokenizer/, { "tokenizer.json": null }],
    [
      /the tokenizer \(model WordPiece\) is not a BPE .*use a model such as Qwen/,
      {
        "tokenizer.json": JSON.stringify({ ...tokenizer, model: { type: "WordPiece", vocab: {} } }),
      },
    ],
    [/tokenizer\.json \(3 bytes\) is not valid JSON; download/, { "tokenizer.json": "{ma" }],
    [
      /tokenizer\.json cannot be read \(.*\); download the file again/,
      { "tokenizer.json": JSON.stringify({ ...tokenizer, model: { type: "BPE" } }) },
    ],
    [
      /has the token id -1, which is no whole number; download the file again/,
      {
        "tokenizer.json": JSON.stringify({
          ...tokenizer,
          added_tokens: [
            ...(tokenizer["added_tokens"] as object[]),
            { id: -1, content: "<none>", special: false },
          ],
        }),
      },
    ],
    [
      /has token 299, but config\.json says that the vocabulary has 200/,
      { "config.json": JSON.stringify({ ...config, vocab_size: 200 }) },
    ],
    [
      /no chat template.*choose its instruct variant/,
      { [TEMPLATE]: withTemplate(files, undefined) },
    ],
    [
      /cannot evaluate the chat template \(.+\); use another model/,
      { [TEMPLATE]: withTemplate(files, "{% for message in messages %}") },
    ],
    [
      /the chat template refuses this conversation: no system prompts here; use another model/,
      {
        [TEMPLATE]: withTemplate(
          files,
          `{% if messages[0].role == 'system' %}{{ raise_exception('no system prompts here') }}{% endif %}${String(json(files, TEMPLATE)["chat_template"])}`,
        ),
      },
    ],
    [
      /the chat template does not keep the assistant.s text/,
      { [TEMPLATE]: withTemplate(files, "{{ messages | length }}{{ messages[-1].content }}") },
    ],
    [/mamba/, { "config.json": JSON.stringify({ ...config, model_type: "mamba" }) }],
    [/config\.json is not JSON/, { "config.json": "<html>" }],
    [/there is no .*config\.json; name the folder of a model/, { "config.json": null }],
    [
      /quantization_config must be absent or of the method waggle/,
      {
        "config.json": JSON.stringify({ ...config, quantization_config: { quant_method: "gptq" } }),
      },
    ],
  ];
  for (const [message, changes] of cases) {
    const folder = folderOf(files, { ...changes, "model.safetensors": null });
    const { lines, run } = command();
    await expect(run(folder, "--out", join(folder, "out"))).rejects.toThrow(message);
    expect(lines.error).toEqual([]);
    expect(readdirSync(folder)).not.toContain("out");
  }
});

test("damaged weights are refused with the name of the model", async () => {
  const files = tinyModel("qwen3");
  const weights = files.find(({ path }) => path === "model.safetensors")?.bytes ?? new Uint8Array();
  const broken = weights.slice();
  // Not a number: the exponent of the last one is all ones.
  broken.fill(0xff, -4);
  const cases: readonly [RegExp, Uint8Array | null][] = [
    [/must end with its last tensor|within the file.*fetch the file again/, weights.slice(0, -100)],
    [/must have a header within the file.*fetch the file again/, new Uint8Array(100).fill(200)],
    [/has NaN or infinity; use intact weights/, broken],
    [/the model folder has no model\.safetensors/, null],
  ];
  for (const [message, bytes] of cases) {
    const folder = folderOf(files, { "model.safetensors": bytes });
    const { run } = command();
    const error: unknown = await run(folder, "--out", join(folder, "out")).catch(
      (reason: unknown) => reason,
    );
    expect(String(error)).toMatch(message);
    expect(String(error)).toContain(folder);
    expect(readdirSync(folder).filter((name) => name === "out/config.json")).toEqual([]);
  }
});

test("a template without tools or their results is said to leave them out", async () => {
  const files = tinyModel("qwen3");
  const template =
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
  const withoutTools = "{% for message in messages if message.role != 'tool' %}";
  const loop = "{% for message in messages %}";
  for (const source of [template, template.replace(loop, `{{ tools | tojson }}${withoutTools}`)]) {
    const folder = folderOf(files, { [TEMPLATE]: withTemplate(files, source) });
    expect((await model(folder, "--check-only")).at(-1)).toMatch(
      /chat template leaves out tools or their results/,
    );
  }
});

test("a name that the Hub does not have, a private model and a missing folder are told apart", async () => {
  const config = "/org/none/resolve/main/config.json";
  server.files.set(config, { bytes: new Uint8Array() });
  server.faults.set(config, [
    { kind: "status", status: 401 },
    { kind: "status", status: 403 },
  ]);
  await expect(model("org/none")).rejects.toMatchObject({
    code: "NOT_FOUND",
    message:
      "org/none is neither a folder here nor a public model of the Hub; check the name, or download the model and name its folder",
  });
  await expect(model("org/none")).rejects.toMatchObject({
    code: "FORBIDDEN",
    message: expect.stringMatching(/needs an account\. Use a public model/) as string,
  });
  await expect(model("./none")).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: "there is no folder ./none; check the path",
  });
  await expect(model("none")).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message:
      "there is no folder none, and a model of the Hub is written as organization/name, such as Qwen/Qwen3-0.6B",
  });
});
