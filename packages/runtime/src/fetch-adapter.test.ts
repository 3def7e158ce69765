import { adapterConfigJson, writeAdapter, writeSafetensors } from "@waggle/model";
import { fileListDigest, FULL_SUPPORT, sha256 } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { fetchAdapter } from "./fetch-adapter.ts";
import { createNodePolicy } from "./node/index.ts";
import {
  TINY_BASE_MODEL,
  TINY_CONFIG,
  tinyAdapter,
  tinyPrompt,
  tinyWeights,
} from "./tiny-decoder.fixture.ts";

const adapter = tinyAdapter(2);
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const CONFIG = { ...adapterConfigJson(adapter, TINY_CONFIG) };

/** A folder on the web, with the hash of its expected contents. */
async function folder(config: unknown, bytes: Uint8Array) {
  const files: Record<string, Uint8Array> = {
    "adapter_config.json": encode(config),
    "adapter_model.safetensors": bytes,
  };
  const list = await Promise.all(
    Object.entries(files).map(async ([path, content]) => ({ path, sha256: await sha256(content) })),
  );
  return {
    url: "https://adapters.test/mine/",
    sha256: await fileListDigest(list),
    config: TINY_CONFIG,
    fetch: async (url: string) => {
      const content = files[url.replace("https://adapters.test/mine/", "")];
      return new Response((content as Uint8Array<ArrayBuffer>) ?? null, {
        status: content ? 200 : 404,
      });
    },
  };
}

const whole = await folder(CONFIG, writeAdapter(adapter, TINY_CONFIG));

describe("an adapter from a URL", () => {
  test("equals the published adapter", async () => {
    expect(await fetchAdapter(whole)).toEqual(adapter);
  });

  test("for some linears leaves the others alone", async () => {
    const some = new Map([...adapter.tensors].filter(([name]) => /[qv]_proj/.test(name)));
    const zeroed = new Map(
      [...adapter.tensors].map(([name, { shape, data }]) => [
        name,
        { shape, data: some.has(name) ? data : data.map(() => 0) },
      ]),
    );
    const source = await folder(CONFIG, writeSafetensors(some, {}));
    const policy = await createNodePolicy({
      config: TINY_CONFIG,
      weights: tinyWeights(),
      baseModel: TINY_BASE_MODEL,
      threads: 1,
    });
    const scores = [];
    for (const each of [await fetchAdapter(source), { ...adapter, tensors: zeroed }, adapter]) {
      await policy.setAdapter(1, each);
      scores.push(await policy.score({ tokenIds: tinyPrompt(20), sampling: FULL_SUPPORT }));
    }
    expect(scores[0]).toEqual(scores[1]);
    expect(scores[0]).not.toEqual(scores[2]);
    await policy.dispose();
  });

  test("of rank-stabilized LoRA has its scale", async () => {
    const source = await folder(
      { ...CONFIG, use_rslora: true },
      writeAdapter(adapter, TINY_CONFIG),
    );
    expect((await fetchAdapter(source)).alpha).toBe(adapter.alpha * Math.sqrt(adapter.rank));
  });

  test.each<[string, Partial<typeof whole>]>([
    ["DIGEST_MISMATCH", { sha256: "0".repeat(64) }],
    ["NOT_FOUND", { url: "https://adapters.test/other" }],
    ["NETWORK", { fetch: () => Promise.reject(new TypeError("offline")) }],
    ["NETWORK", { fetch: async () => new Response(null, { status: 503 }) }],
  ])("that is missing or differs from its hash is refused with %s", async (code, wrong) => {
    await expect(fetchAdapter({ ...whole, ...wrong })).rejects.toMatchObject({ code });
  });

  test.each([
    ["MODEL_CORRUPT", CONFIG],
    ["ADAPTER_INCOMPATIBLE", "not a config"],
    ["ADAPTER_INCOMPATIBLE", { ...CONFIG, use_dora: true }],
    ["ADAPTER_INCOMPATIBLE", { ...CONFIG, alpha_pattern: { "q_(a+)+": 2 } }],
    ["ADAPTER_INCOMPATIBLE", { ...CONFIG, alpha_pattern: { q_proj: "8" } }],
    ["ADAPTER_INCOMPATIBLE", { ...CONFIG, r: 0 }],
    ["ADAPTER_INCOMPATIBLE", { ...CONFIG, bias: "all" }],
  ])("that is not a plain LoRA is refused with %s (%o)", async (code, config) => {
    const source = await folder(config, new Uint8Array(20));
    await expect(fetchAdapter(source)).rejects.toMatchObject({ code });
  });

  test("can be aborted", async () => {
    const reason = new Error("enough");
    const given = fetchAdapter({ ...whole, signal: AbortSignal.abort(reason) });
    await expect(given).rejects.toBe(reason);
  });
});
