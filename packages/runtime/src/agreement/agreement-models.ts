/** Tiny decoders that together cover every part and number format that backends compute. */
import type { DecoderConfig, WeightFormat } from "@waggle/model";

/** A config in one number format. */
export type AgreementModel = {
  readonly title: string;
  readonly config: DecoderConfig;
  readonly dtype: WeightFormat;
};

/** Grouped heads, head norms, tied logits. Widths are whole blocks, so that all formats fit. */
export const QWEN3: DecoderConfig = {
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

/** One shared key head, untied logits, scaled rotary positions, odd widths. */
const LLAMA: DecoderConfig = {
  ...QWEN3,
  modelType: "llama",
  width: 40,
  heads: 3,
  keyValueHeads: 1,
  headSize: 32,
  tiedEmbeddings: false,
  ropeScaling: {
    type: "llama3",
    factor: 8,
    lowFrequencyFactor: 1,
    highFrequencyFactor: 4,
    originalContextLength: 32,
  },
};

const TYPES: readonly DecoderConfig[] = [
  LLAMA,
  { ...QWEN3, modelType: "qwen2", keyValueHeads: 4 },
  {
    ...QWEN3,
    modelType: "gemma3_text",
    layerKinds: ["sliding", "attention"],
    slidingWindow: 21,
    localRopeTheta: 1000,
    queryScalar: 24,
  },
  { ...QWEN3, modelType: "smollm3", layerKinds: ["attention", "unrotated"] },
  { ...QWEN3, modelType: "lfm2", layerKinds: ["convolution", "attention"], convolutionSize: 3 },
];

/** @param dtypes - number formats that the backend supports. */
export function agreementModels(dtypes: readonly WeightFormat[]): AgreementModel[] {
  const model = (config: DecoderConfig, dtype: WeightFormat): AgreementModel => ({
    title: `${config.modelType} in ${dtype}`,
    config,
    dtype,
  });
  return [
    ...dtypes.map((dtype) => model(QWEN3, dtype)),
    ...TYPES.map((config) => model(config, "f32")),
  ];
}
