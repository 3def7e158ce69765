/** Shared by runners that use one graph per pass: frozen weights, their merged copy, the graphs. */
import type { Adapter, DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import type { DecoderBase } from "../decoder/decoder-runner.ts";
import type { ProductFormat } from "../graphs/matrix-products.ts";
import type { OnnxDevice } from "./onnx-device.ts";
import type { ResidentTensors } from "./resident-tensors.ts";
import { createFullWeights, MergedBase } from "../decoder/trained-weights.ts";
import { TrainingRunner } from "./training-runner.ts";
import { WholeRunner } from "./whole-runner.ts";

export type WholeBaseOptions = {
  readonly trains: "lora" | "full";
  readonly device: OnnxDevice;
  readonly products: ProductFormat;
};

export class WholeBase implements DecoderBase {
  readonly #config: DecoderConfig;
  readonly #weights: TensorMap;
  /** Null if every parameter is trained. */
  readonly #merged: MergedBase | null;
  readonly #graphs: TrainingRunner;
  readonly #resident: ResidentTensors | null;

  private constructor(
    config: DecoderConfig,
    weights: TensorMap,
    merged: MergedBase | null,
    { device, products }: Pick<WholeBaseOptions, "device" | "products">,
  ) {
    this.#resident = device.resident;
    this.#config = config;
    this.#weights = weights;
    this.#merged = merged;
    this.#graphs = new TrainingRunner(
      config,
      merged?.wanted ?? new Set(weights.keys()),
      device,
      products,
    );
  }

  static async create(
    config: DecoderConfig,
    weights: TensorMap,
    options: WholeBaseOptions,
  ): Promise<WholeBase> {
    const { trains, device } = options;
    const merged = trains === "lora" ? await MergedBase.create(config, weights, device) : null;
    return new WholeBase(config, weights, merged, options);
  }

  createRunner(adapter: Adapter | null): WholeRunner {
    const trained =
      adapter === null || this.#merged === null
        ? createFullWeights(this.#weights, this.#resident)
        : this.#merged.adapted(adapter);
    return new WholeRunner(this.#config, trained, this.#graphs);
  }

  async dispose(): Promise<void> {
    await this.#graphs.dispose();
    await this.#merged?.dispose();
  }
}
