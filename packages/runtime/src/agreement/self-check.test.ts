/** The check on a visitor's device: correct devices pass, others get a workaround or are refused. */
import type { DecoderConfig, WeightFormat } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import createModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { skipOutside } from "../../../../test/fixtures/long.ts";
import { createWasmBackend } from "../backend/cpu/wasm-backend.ts";
import type { DecoderBackend } from "../backend/decoder-backend.ts";
import { agreementModels } from "./agreement-models.ts";
import { plainBackend } from "./plain-backend.fixture.ts";
import type { Fault } from "./plain-backend.fixture.ts";
import { selfCheck, WASM_LADDER, WEBGPU_LADDER } from "./self-check.ts";
import type { KernelWorkaround, SelfCheckResult } from "./self-check.ts";

const [QWEN3] = agreementModels(["f32"]);

/** Checks a plain backend that has `fault` on the rungs for which `isBroken`. */
function checkFaulty(
  fault: Fault,
  isBroken: (workaround: KernelWorkaround) => boolean,
  ladder = WEBGPU_LADDER,
): Promise<SelfCheckResult> {
  return selfCheck({
    config: QWEN3?.config as DecoderConfig,
    dtype: "f32",
    activations: "f32",
    ladder,
    open: async (config, weights, workaround) =>
      plainBackend(
        config,
        weights,
        isBroken(workaround) ? fault : null,
        workaround.maxRunTokens ?? 128,
      ),
  });
}

describe("a self-check", () => {
  test.for(agreementModels(["f32", "int8", "int4"]))(
    "accepts the WASM backend for $title",
    async ({ config, dtype }: { config: DecoderConfig; dtype: WeightFormat }, context) => {
      skipOutside(config.modelType === "qwen3" && dtype !== "int8", context);
      const opened: DecoderBackend[] = [];
      const open = async (tiny: DecoderConfig, weights: TensorMap) => {
        const backend = await createWasmBackend({
          config: tiny,
          weights,
          dtype,
          contextLength: 128,
          threads: 1,
          createModule,
        });
        opened.push(backend);
        return backend;
      };
      const result = await selfCheck({
        config,
        dtype,
        activations: "f32",
        ladder: WASM_LADDER,
        open,
      });
      expect(result).toEqual({ verdict: "ok" });
      for (const backend of opened) await backend.dispose();
    },
  );

  test("shortens runs if only long ones are wrong", async () => {
    const result = await checkFaulty("long prefills lose a token", () => true);
    expect(result).toMatchObject({ verdict: "workaround", workaround: { maxRunTokens: 31 } });
    expect(result).toHaveProperty("why", expect.stringMatching(/^off by /));
  });

  test("uses long runs if they are correct", async () => {
    const result = await checkFaulty("a head is off", () => false);
    expect(result).toEqual({
      verdict: "workaround",
      workaround: { maxRunTokens: 256 },
      why: "",
    });
  });

  test("avoids subgroups if they are wrong", async () => {
    const result = await checkFaulty("a head is off", ({ subgroups }) => subgroups !== false);
    expect(result).toMatchObject({ workaround: { subgroups: false } });
  });

  test.for<Fault>([
    "a head is off",
    "rows are mixed up",
    "a fork shares what follows",
    "truncation is forgotten",
    "scale is ignored",
    "the first adapter stays",
    "the mask is ignored",
    "scores are of temperature 1",
  ])("refuses a device on which %s", async (fault) => {
    const result = await checkFaulty(fault, () => true, WASM_LADDER);
    expect(result).toMatchObject({ verdict: "refused", why: expect.stringMatching(/^off by/) });
  });

  test("a module that did not load is an error, not a verdict that would be kept", async () => {
    const missing = new WaggleError("DEVICE_UNAVAILABLE", "not served", { retryable: true });
    const check = selfCheck({
      config: QWEN3?.config as DecoderConfig,
      dtype: "f32",
      activations: "f32",
      ladder: WASM_LADDER,
      open: () => Promise.reject(missing),
    });
    await expect(check).rejects.toBe(missing);
  });

  test("refuses a device that fails", async () => {
    const result = await selfCheck({
      config: QWEN3?.config as DecoderConfig,
      dtype: "f32",
      activations: "f32",
      ladder: WASM_LADDER,
      open: () => Promise.reject(new WaggleError("DEVICE_UNAVAILABLE", "no module")),
    });
    expect(result).toMatchObject({ verdict: "refused", why: expect.stringContaining("no module") });
  });
});
