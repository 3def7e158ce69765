/**
 * The agreement suite: every back end answers as the plain decoder does, for every number format it
 * offers. Runs before all other tests of the package (`vite.config.ts` orders it first): what later
 * tests measure means nothing where this fails.
 */
import type { DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import type { DecoderBackend } from "../backend/decoder-backend.ts";
import { AGREEMENT_CASES } from "./agreement-cases.ts";
import { randomDecoderWeights } from "./random-decoder.ts";

/** Grouped heads, head norms, tied logits: the parts of most models. */
export const AGREEMENT_CONFIG: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 97,
  width: 32,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  headSize: 16,
  feedForwardSize: 64,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 640,
  ropeScaling: null,
};

/** Every length to 70, then the edges of blocks of 32 and of powers of two, to 600. */
const PREFILL_LENGTHS: readonly number[] = [
  ...Array.from({ length: 70 }, (_, i) => i + 1),
  ...[96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576].flatMap((n) => [n - 1, n, n + 1]),
  600,
];

/** Nats by which a number may differ, by the number format of the products. */
export const AGREEMENT_BUDGET = { f32: 1e-4, f16: 3e-2, int8: 1e-4, int4: 1e-4 } as const;

export type BackendAgreementOptions = {
  readonly name: string;
  readonly create: (config: DecoderConfig, weights: TensorMap) => Promise<DecoderBackend>;
  readonly config?: DecoderConfig;
  /** What the back end makes of weights: dequantized quantized ones. Default: themselves. */
  readonly effectiveWeights?: (config: DecoderConfig, weights: TensorMap) => TensorMap;
  /** Default `PREFILL_LENGTHS`; fewer for devices that take seconds for them. */
  readonly prefillLengths?: readonly number[];
  /** Default 8. */
  readonly maxRows?: number;
  /** Nats; default by dtype, `AGREEMENT_BUDGET`. A wider one says why. */
  readonly budget?: number;
};

/** @see AGREEMENT_CASES for what is compared. */
export function backendAgreementContract(options: BackendAgreementOptions): void {
  const { name, create, config = AGREEMENT_CONFIG } = options;
  describe(`${name} agrees with the plain decoder on`, () => {
    const stored = randomDecoderWeights(config, 3);
    const weights = options.effectiveWeights?.(config, stored) ?? stored;
    let opened: Promise<DecoderBackend> | null = null;
    const backendOf = (): Promise<DecoderBackend> => (opened ??= create(config, stored));

    test.for(AGREEMENT_CASES)("$title", async ({ run }) => {
      const backend = await backendOf();
      const deviation = await run({
        backend,
        config,
        weights,
        prefillLengths: options.prefillLengths ?? PREFILL_LENGTHS,
        maxRows: options.maxRows ?? 8,
      });
      expect(deviation.count).toBeGreaterThan(20);
      const budget = options.budget ?? AGREEMENT_BUDGET[backend.dtype];
      const met = deviation.nats < budget ? "agrees" : `${deviation.nats} at ${deviation.where}`;
      expect(met).toBe("agrees");
    });

    test("it holds nothing after it is disposed", async () => {
      const backend = await backendOf();
      await backend.dispose();
      expect(backend.memory()).toEqual({ weights: 0, adapters: 0, caches: 0, scratch: 0 });
    });
  });
}
