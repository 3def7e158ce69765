import { expect, test } from "vitest";
import type { DecoderConfig } from "./decoder-config.ts";
import { initializeDecoder } from "./decoder-parameters.ts";
import { PlainDecoder } from "./plain-decoder.ts";

const CONFIG: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 7,
  width: 8,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  headSize: 4,
  feedForwardSize: 8,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 16,
  ropeScaling: null,
};

test("log-probs of a sequence are those of each token after the first", () => {
  const weights = initializeDecoder(CONFIG, 1);
  const last = Array.from({ length: CONFIG.vocabularySize }, (_, token) =>
    new PlainDecoder(CONFIG, weights).readLogProbs([3, 5, token]),
  );
  // Over all tokens that can follow, the probabilities sum to 1.
  expect(last.reduce((sum, [, logProb = 0]) => sum + Math.exp(logProb), 0)).toBeCloseTo(1, 12);
  expect(new Set(last.map(([first]) => first)).size).toBe(1);
  expect(new PlainDecoder(CONFIG, weights).readLogProbs([3])).toEqual([]);
});
