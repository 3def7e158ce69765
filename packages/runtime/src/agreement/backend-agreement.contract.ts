/**
 * The agreement suite: every backend must match the plain decoder, for every number format and
 * every kind of decoder it supports. Files named after it run before all other tests
 * (`scripts/testing/file-order.ts`), because later tests mean nothing if this one fails.
 */
import type { DecoderConfig, WeightFormat } from "@waggle/model";
import { roundedWeights } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { skipOutside } from "../../../../test/fixtures/long.ts";
import type { DecoderBackend } from "../backend/decoder-backend.ts";
import { AGREEMENT_CASES } from "./agreement-cases.ts";
import { agreementModels } from "./agreement-models.ts";
import type { AgreementModel } from "./agreement-models.ts";
import { randomDecoderWeights } from "./random-decoder.ts";

/** Every length to 70, then the edges of blocks of 32 and of powers of two, up to 600. */
const ALL_LENGTHS: readonly number[] = [
  ...Array.from({ length: 70 }, (_, i) => i + 1),
  ...[96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576].flatMap((n) => [n - 1, n, n + 1]),
  600,
];

/** The edges only, for models whose kernels another model has already tested at all lengths. */
export const EDGE_LENGTHS: readonly number[] = [1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129, 257];

/**
 * Tolerance in nats, by the number format of the products. Quantized weights are compared with their
 * dequantized numbers, so their products are as exact as f32's.
 */
export const AGREEMENT_BUDGET: { readonly [dtype in WeightFormat]: number } = {
  f32: 1e-4,
  f16: 3e-2,
  int8: 1e-4,
  int4: 1e-4,
};

/** The backend to test, and how thoroughly. */
export type BackendAgreementOptions = {
  readonly name: string;
  readonly create: (
    config: DecoderConfig,
    weights: TensorMap,
    dtype: WeightFormat,
  ) => Promise<DecoderBackend>;
  /** Default: one kind of decoder in f32. */
  readonly models?: readonly AgreementModel[];
  /** Format of everything but the matrices. Default `f32`. */
  readonly activations?: "f32" | "f16";
  /** For the first model. Default `ALL_LENGTHS`; use fewer on devices that take minutes for them. */
  readonly prefillLengths?: readonly number[];
  /** For the other models. Default `EDGE_LENGTHS`. */
  readonly otherLengths?: readonly number[];
  /** Default 8. */
  readonly maxRows?: number;
  /** Titles of the models that `npm test` runs. Default: all. */
  readonly sample?: readonly string[];
};

/** Registers the tests. @see AGREEMENT_CASES for what is compared. */
export function backendAgreementContract(options: BackendAgreementOptions): void {
  const { name, create, activations = "f32", maxRows = 8 } = options;
  const models = options.models ?? agreementModels(["f32"]).slice(0, 1);
  describe.for(models)(`${name} agrees with the plain decoder of $title on`, (model) => {
    const { config, dtype } = model;
    const isFirst = model === models[0];
    const prefillLengths = isFirst
      ? (options.prefillLengths ?? ALL_LENGTHS)
      : (options.otherLengths ?? EDGE_LENGTHS);
    const stored = randomDecoderWeights(config, 3);
    const weights = roundedWeights(config, stored, dtype, activations);
    let opened: Promise<DecoderBackend> | null = null;
    const backendOf = (): Promise<DecoderBackend> => (opened ??= create(config, stored, dtype));

    const isSampled = options.sample?.includes(model.title) ?? true;

    test.for(AGREEMENT_CASES)("$title", async ({ run }, context) => {
      skipOutside(isSampled, context);
      const backend = await backendOf();
      const deviation = await run({ backend, config, weights, prefillLengths, maxRows });
      expect(deviation.count).toBeGreaterThan(20);
      const budget = AGREEMENT_BUDGET[activations === "f16" ? "f16" : dtype];
      const met = deviation.nats < budget ? "agrees" : `${deviation.nats} at ${deviation.where}`;
      expect(met).toBe("agrees");
    });

    test("it reports its number format, and frees everything when disposed of", async (context) => {
      skipOutside(isSampled, context);
      const backend = await backendOf();
      expect(backend.dtype).toBe(dtype);
      await backend.dispose();
      expect(backend.memory()).toEqual({ weights: 0, adapters: 0, caches: 0, scratch: 0 });
    });
  });
}
