/**
 * The time of a decoder's attention alone, by context: its GroupQueryAttention nodes on keys and
 * values that stay in place. Further growth of a decoding step is overhead.
 */
import { OnnxGraphBuilder } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import * as ort from "onnxruntime-web/webgpu";

export class AttentionAlone {
  readonly #session: ort.InferenceSession;
  readonly #buffers: readonly GPUBuffer[];
  readonly #feeds: { readonly [name: string]: ort.Tensor };
  readonly #fetches: { readonly [name: string]: ort.Tensor | null };

  private constructor(
    session: ort.InferenceSession,
    device: GPUDevice,
    { heads, keyValueHeads, headSize, layers, contextLength }: DecoderConfig,
  ) {
    this.#session = session;
    this.#buffers = Array.from({ length: 2 * layers }, () =>
      device.createBuffer({
        size: 4 * keyValueHeads * contextLength * headSize,
        usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
      }),
    );
    const dims = [1, keyValueHeads, contextLength, headSize];
    const cacheTensors = (stem: string): { [name: string]: ort.Tensor } =>
      Object.fromEntries(
        this.#buffers.map((buffer, i) => [
          `${stem}.${i >> 1}.${i % 2 === 0 ? "key" : "value"}`,
          ort.Tensor.fromGpuBuffer(buffer, { dataType: "float32", dims }),
        ]),
      );
    const vector = (size: number): ort.Tensor =>
      new ort.Tensor("float32", new Float32Array(size).fill(0.1), [1, 1, size]);
    this.#feeds = {
      query: vector(heads * headSize),
      key: vector(keyValueHeads * headSize),
      value: vector(keyValueHeads * headSize),
      ...cacheTensors("past"),
    };
    this.#fetches = { ...cacheTensors("present"), attended: null };
  }

  static async open(config: DecoderConfig, device: GPUDevice): Promise<AttentionAlone> {
    const session = await ort.InferenceSession.create(attentionGraph(config), {
      executionProviders: [{ name: "webgpu", device }],
    });
    return new AttentionAlone(session, device, config);
  }

  /** @returns milliseconds of one step: the mean of `runs` after a warm-up run. */
  async measure(context: number, runs: number): Promise<number> {
    let start = 0;
    for (let run = 0; run <= runs; run++) {
      if (run === 1) start = performance.now();
      const outputs = await this.#session.run(
        {
          ...this.#feeds,
          seqlens_k: new ort.Tensor("int32", Int32Array.of(context - 1), [1]),
          total_sequence_length: new ort.Tensor("int32", Int32Array.of(context), []),
        },
        this.#fetches,
      );
      await outputs["attended"]?.getData();
    }
    return (performance.now() - start) / runs;
  }

  async dispose(): Promise<void> {
    await this.#session.release();
    for (const buffer of this.#buffers) buffer.destroy();
  }
}

function attentionGraph(config: DecoderConfig): Uint8Array {
  const { heads, keyValueHeads, headSize, layers, contextLength } = config;
  const graph = new OnnxGraphBuilder();
  let query = graph.input("query", "f32", [1, 1, heads * headSize]);
  graph.input("key", "f32", [1, 1, keyValueHeads * headSize]);
  graph.input("value", "f32", [1, 1, keyValueHeads * headSize]);
  graph.input("seqlens_k", "i32", [1]);
  graph.input("total_sequence_length", "i32", []);
  const dims = [1, keyValueHeads, contextLength, headSize];
  for (let layer = 0; layer < layers; layer++) {
    const inputs = ["key", "value"].map((part) =>
      graph.input(`past.${layer}.${part}`, "f32", dims),
    );
    const outputs = [
      layer === layers - 1 ? "attended" : `attended.${layer}`,
      `present.${layer}.key`,
      `present.${layer}.value`,
    ];
    graph.node(
      "GroupQueryAttention",
      [query, "key", "value", ...inputs, "seqlens_k", "total_sequence_length"],
      {
        domain: "com.microsoft",
        outputs,
        attributes: { num_heads: heads, kv_num_heads: keyValueHeads },
      },
    );
    query = outputs[0] as string;
    for (const name of outputs.slice(1)) graph.output(name, "f32", dims);
  }
  graph.output("attended", "f32", [1, 1, heads * headSize]);
  return graph.build();
}
