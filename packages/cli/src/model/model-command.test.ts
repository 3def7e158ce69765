import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  initializeDecoder,
  parameterCount,
  parseDecoderConfig,
  quantizationConfigJson,
  writeSafetensors,
} from "@waggle/model";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { isLong } from "../../../../test/fixtures/long.ts";
import { FaultServer } from "../../../runtime/src/store/fault-server.fixture.ts";
import { createWaggle } from "../program.ts";
import { checkModel } from "./model-check.ts";
import { type MeasuredMemory, measureModel } from "./model-speed.ts";

const NANO = join(import.meta.dirname, "../../../model/nano");
const COMMIT = "c".repeat(40);
const NAMES = [
  "config.json",
  "generation_config.json",
  "model.safetensors",
  "tokenizer.json",
  "tokenizer_config.json",
];

let hub: FaultServer;
let folder: string;
beforeAll(async () => {
  hub = await FaultServer.start();
  folder = mkdtempSync(join(tmpdir(), "waggle-model-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await hub.stop();
});
beforeEach(() => {
  hub.files.clear();
  hub.requests.length = 0;
  const siblings = NAMES.map((rfilename) => {
    const bytes = new Uint8Array(readFileSync(join(NANO, rfilename)));
    for (const revision of ["main", COMMIT]) {
      hub.files.set(`/org/nano/resolve/${revision}/${rfilename}`, { bytes, etag: '"1"' });
    }
    return { rfilename, size: bytes.length };
  });
  const answer = new TextEncoder().encode(JSON.stringify({ sha: COMMIT, siblings }));
  hub.files.set("/api/models/org/nano/revision/main", { bytes: answer, type: "application/json" });
});

async function run(...args: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  const program = createWaggle({
    signal: new AbortController().signal,
    writeOut: (line) => lines.push(line),
    writeError: () => undefined,
    environment: { HF_ENDPOINT: `${hub.url}/` },
  });
  await program.parseAsync(["model", ...args], { from: "user" });
  return lines;
}

/** A folder with a changed config.json and no weights. */
function changedConfig(change: object): string {
  const changed = mkdtempSync(join(folder, "changed-"));
  for (const name of ["tokenizer.json", "tokenizer_config.json"]) {
    copyFileSync(join(NANO, name), join(changed, name));
  }
  const config = JSON.parse(readFileSync(join(NANO, "config.json"), "utf8")) as object;
  writeFileSync(join(changed, "config.json"), JSON.stringify({ ...config, ...change }));
  return changed;
}

test("a model of the Hub is checked, converted and measured, and the second run converts nothing", async () => {
  const out = join(folder, "converted");
  const lines = await run("org/nano", "--out", out);
  expect(lines).toEqual([
    "model      org/nano: qwen3, 1.1 M parameters, as int4",
    expect.stringMatching(
      /^phone {6}fits a page on a phone with 4 GB, with a context of 512: \d+ MB of 2\.4 GB$/,
    ),
    expect.stringMatching(/^computer {3}fits a page on WASM: \d+ MB of 3\.8 GB$/),
    expect.stringMatching(/^training {3}works on this machine, with \d+ MB$/),
    "chat       writes tool calls in the format hermes",
    expect.stringMatching(/^files {6}0\.7 MB of int4 in 1 file: /),
    expect.stringMatching(/^speed {6}reads \d+ and writes \d+\.\d tokens per second/),
    expect.stringMatching(
      /^memory {5}the model takes \d+ MB here at its peak, predicted \d+ MB for a page on WASM, with a context of 161; the process has \d+ MB before loading, \d+ MB after it, \d+ MB at its peak$/,
    ),
    expect.stringMatching(
      /^to serve {3}write model: ".*converted" into waggle\.config\.ts, or run waggle dev/,
    ),
  ]);
  expect(existsSync(join(out, "config.json"))).toBe(true);
  const [json = ""] = await run("org/nano", "--out", out, "--json");
  const report = JSON.parse(json) as { readonly memory: MeasuredMemory };
  expect(report).toMatchObject({ modelType: "qwen3", keptShards: 1, untrainable: null });
  const { startBytes, loadedBytes, peakBytes, modelBytes } = report.memory;
  expect(startBytes).toBeGreaterThan(2 ** 24);
  expect(loadedBytes).toBeGreaterThan(startBytes);
  expect(peakBytes).toBeGreaterThanOrEqual(loadedBytes);
  expect(modelBytes).toBe(peakBytes - startBytes);
});

test("a converted folder is measured as it is, and not converted again", async () => {
  const out = join(folder, "once");
  await run(NANO, "--dtype", "int8", "--out", out);
  const lines = await run(out);
  expect(lines[0]).toMatch(/as int8$/);
  expect(lines.at(-4)).toMatch(
    /^files {6}1\.2 MB of int8 in 1 file, 1 from an earlier run: .*once$/,
  );
  const again = join(folder, "again");
  for (const flags of [
    ["--dtype", "int4"],
    ["--out", again],
  ]) {
    await expect(run(out, ...flags)).rejects.toMatchObject({
      code: "MODEL_UNSUPPORTED",
      message: `${out} is already quantized in int8; leave out --dtype and --out to use it as it is, or name the original model`,
    });
  }
  expect(existsSync(again)).toBe(false);
});

test("a quantized model of the Hub is checked, and refused before its weights are fetched", async () => {
  const config = JSON.parse(readFileSync(join(NANO, "config.json"), "utf8")) as object;
  const quantized = { ...config, quantization_config: quantizationConfigJson("int8") };
  const bytes = new TextEncoder().encode(JSON.stringify(quantized));
  hub.files.set("/org/nano/resolve/main/config.json", { bytes, etag: '"1"' });
  const out = join(folder, "quantized");
  for (const flags of [[], ["--dtype", "int4"]]) {
    await expect(run("org/nano", "--out", out, ...flags)).rejects.toMatchObject({
      code: "MODEL_UNSUPPORTED",
      message:
        "org/nano is already quantized in int8; download it and name its folder, or name the original model",
    });
  }
  expect(existsSync(out)).toBe(false);
  expect(new Set(hub.requests)).toEqual(new Set(["GET /org/nano/resolve/main/config.json"]));
  expect((await run("org/nano", "--check-only"))[0]).toMatch(/as int8$/);
});

test("only config, tokenizer and chat template are fetched to check a model", async () => {
  await run("org/nano", "--check-only");
  expect(hub.requests).toEqual(
    [
      "config.json",
      "chat_template.jinja",
      "generation_config.json",
      "tokenizer.json",
      "tokenizer_config.json",
    ].map((name) => `GET /org/nano/resolve/main/${name}`),
  );
});

test("a model that the Hub does not have says so", async () => {
  await expect(run("org/other")).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: expect.stringContaining("check the name of the model"),
  });
});

test("an unsupported type is refused before anything is converted", async () => {
  await expect(run(changedConfig({ model_type: "mamba" }))).rejects.toMatchObject({
    code: "MODEL_UNSUPPORTED",
    message: expect.stringContaining("mamba"),
  });
});

test("a model that is too large for a phone or for this machine says what to do", () => {
  const nano = JSON.parse(readFileSync(join(NANO, "config.json"), "utf8")) as object;
  const sized = { ...nano, vocab_size: 150_000, hidden_size: 4096, intermediate_size: 12_288 };
  expect(checkModel({ ...sized, num_hidden_layers: 64 }, "int8", 2e9)).toMatchObject({
    phone: { fits: false, instead: "use a smaller model" },
    untrainable: expect.stringMatching(/memory|GB|MB/),
  });
  const small = checkModel(
    { ...sized, hidden_size: 2048, intermediate_size: 6144, num_hidden_layers: 10 },
    "f16",
    1e12,
  );
  expect(small).toMatchObject({
    phone: { fits: false, instead: "--dtype int8 fits" },
    untrainable: null,
  });
});

test("a model that can only run says that it cannot be trained", async () => {
  const lfm2 = { model_type: "lfm2", layer_types: undefined };
  const check = await run(changedConfig(lfm2), "--check-only");
  expect(check.join("\n")).toMatch(
    /training {3}not on this machine: model type lfm2 supports only/,
  );
});

// Under `npm test`, the first test of this file reads the measured memory.
test.runIf(isLong())(
  "the memory of a model is measured in a separate process, and grows with the model",
  async () => {
    const config = parseDecoderConfig(JSON.parse(readFileSync(join(NANO, "config.json"), "utf8")));
    const { signal } = new AbortController();
    // What this process holds is not counted.
    const held = Buffer.alloc(2 ** 28, 1);
    const { memory } = await measureModel(NANO, config, "f32", signal);
    expect(held.at(-1)).toBe(1);
    expect(memory.peakBytes).toBeLessThan(2 ** 28);

    const json = JSON.parse(readFileSync(join(NANO, "config.json"), "utf8")) as object;
    const large = { ...json, hidden_size: 768, intermediate_size: 2304, num_hidden_layers: 2 };
    const largeConfig = parseDecoderConfig(large);
    const weights = writeSafetensors(initializeDecoder(largeConfig, 1), { format: "pt" }, "F32");
    const out = mkdtempSync(join(folder, "large-"));
    for (const name of ["tokenizer.json", "tokenizer_config.json"]) {
      copyFileSync(join(NANO, name), join(out, name));
    }
    writeFileSync(join(out, "config.json"), JSON.stringify(large));
    writeFileSync(join(out, "model.safetensors"), weights);
    const grown = await measureModel(out, largeConfig, "f32", signal);
    // The process must hold the weights of either model.
    const more = 4 * (parameterCount(largeConfig) - parameterCount(config));
    expect(more).toBeGreaterThan(30e6);
    expect(grown.memory.modelBytes - memory.modelBytes).toBeGreaterThan(0.8 * more);
    expect(grown.memory.predictedBytes - memory.predictedBytes).toBeGreaterThan(0.8 * more);
  },
  120_000,
);
