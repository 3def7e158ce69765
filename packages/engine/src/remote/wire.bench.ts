/**
 * Bytes of a `forward_backward` on the wire, by encoding: 16 sequences of 512 tokens, a vocabulary of
 * 151,936, derivatives on the last half of each. Prints one JSON line.
 *
 * node --conditions=source packages/engine/src/remote/wire.bench.ts
 */
import { seededRandom } from "@waggle/protocol";
import { encodeBody } from "./body-encoding.ts";
import { toBackwardData } from "./wire-batch.ts";

const [SEQUENCES, TOKENS, VOCABULARY] = [16, 512, 151_936];

const random = seededRandom(1);

/** Ids distributed as in text: few are frequent. */
const sequences = Array.from({ length: SEQUENCES }, () => ({
  tokenIds: Array.from({ length: TOKENS }, () => Math.floor(VOCABULARY ** random()) - 1),
}));
/** One advantage per sequence, times a weight near 1. */
const logProb = sequences.map(({ tokenIds }) => {
  const advantage = random() - 0.5;
  return Float32Array.from(tokenIds, (_, t) =>
    t < TOKENS / 2 ? 0 : (advantage * (0.95 + random() / 10)) / (SEQUENCES * TOKENS),
  );
});
const json = {
  model_id: "model_0",
  forward_backward_input: {
    data: toBackwardData({ sequences }, { logProb }).map(({ datum }) => datum),
    loss_fn: "cross_entropy",
  },
  seq_id: 1,
};
const sizes: { [encoding: string]: number } = {};
const milliseconds: { [encoding: string]: number } = {};
for (const encoding of ["identity", "gzip", "zstd"] as const) {
  const start = performance.now();
  sizes[encoding] = (await encodeBody(json, encoding)).bytes.length;
  milliseconds[encoding] = Math.round(performance.now() - start);
}
process.stdout.write(
  `${JSON.stringify({ tokens: SEQUENCES * TOKENS, bytes: sizes, milliseconds })}\n`,
);
