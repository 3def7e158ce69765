/** A decoder whose matrix rows end within a quantization block. Tests only. */
import type { DecoderConfig } from "./decoder-config.ts";

export const UNEVEN_CONFIG: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 11,
  width: 40,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  headSize: 16,
  feedForwardSize: 72,
  ropeTheta: 1000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: false,
  contextLength: 64,
  ropeScaling: null,
};
