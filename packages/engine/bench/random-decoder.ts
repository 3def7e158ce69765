/** Decoders with random weights, generated tensor by tensor as they are read. For measurements only. */
import { seededRandom } from "@waggle/protocol";
import { decoderParameters } from "@waggle/model";
import type { DecoderConfig, TensorSource } from "@waggle/model";

/** Qwen3-0.6B's config.json. */
export const QWEN3_0_6B: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 151_936,
  width: 1024,
  layers: 28,
  heads: 16,
  keyValueHeads: 8,
  headSize: 128,
  feedForwardSize: 3072,
  ropeTheta: 1_000_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 40_960,
  ropeScaling: null,
};

/** Matrices are uniform with standard deviation 0.02; norms are 1. */
export function randomDecoder(config: DecoderConfig): TensorSource {
  const parameters = decoderParameters(config);
  const shapes = new Map(parameters.map(({ name, shape }) => [name, shape]));
  const random = seededRandom(12345);
  return {
    tensors: new Map(parameters.map(({ name, shape }) => [name, { dtype: "F32", shape }])),
    read: async (name, rows) => {
      const [all = 1, ...rest] = shapes.get(name) ?? [];
      const shape = [rows === undefined ? all : rows.end - rows.begin, ...rest];
      const data = new Float32Array(shape.reduce((a, b) => a * b, 1));
      if (shape.length === 1) return { shape, data: data.fill(1) };
      for (let i = 0; i < data.length; i++) {
        data[i] = (2 * random() - 1) * 0.02 * Math.sqrt(3);
      }
      return { shape, data };
    },
    readBytes: async () => {
      throw new Error("a random decoder has no stored bytes");
    },
  };
}

/** Sequences with ids spread over the vocabulary. */
export function randomBatch(
  { vocabularySize }: DecoderConfig,
  sequences: number,
  length: number,
): { readonly sequences: readonly { readonly tokenIds: number[] }[] } {
  return {
    sequences: Array.from({ length: sequences }, (_, sequence) => ({
      tokenIds: Array.from(
        { length },
        (__, i) => (i * 7919 + i * i * 31 + sequence * 104_729) % vocabularySize,
      ),
    })),
  };
}
