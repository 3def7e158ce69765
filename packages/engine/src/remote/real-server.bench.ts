/**
 * Compares a running server with the local engine: gradient norms, log-probs and the change of
 * every parameter over five steps, then once more from a saved checkpoint. For operators and for
 * docs/evidence/remote-engine.md. The server must serve the folder's base model. Prints one JSON
 * line.
 *
 * node --conditions=source packages/engine/src/remote/real-server.bench.ts <url> <model folder>
 * <alpha> <clip> [shared folder]
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { initializeAdapter, parseDecoderConfig, readModelWeights } from "@waggle/model";
import { type TensorMap, type TrainEngine, seededRandom } from "@waggle/protocol";
import { createOnnxEngine } from "../onnx/onnx-engine.ts";
import { createRemoteEngine } from "./create-remote-engine.ts";

const RANK = 8;
const [url = "", folder = "", alphaText = "32", clipText = "1", sharedFolder] =
  process.argv.slice(2);
const [alpha, maxGradientNorm] = [Number(alphaText), Number(clipText)];

const files = new Map(
  readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]),
);
const config = parseDecoderConfig(JSON.parse(new TextDecoder().decode(files.get("config.json"))));
const weights = await readModelWeights(files);

const openedAt = performance.now();
const remote = await createRemoteEngine({
  url,
  config,
  weights,
  sharedFolder,
  trains: "lora",
  resultTimeoutMs: 300_000,
  adapter: initializeAdapter(config, { rank: RANK, alpha, seed: 1 }),
  seed: 1,
  fixedOptimizer: { maxGradientNorm },
});
const openMs = Math.round(performance.now() - openedAt);
// The server drew its own A; the local engine starts from the same.
const start = await remote.parameters();
const adapter = { rank: RANK, alpha, tensors: start };
const local = await createOnnxEngine({ config, weights, trains: "lora", adapter });

const random = seededRandom(5);
const sequences = Array.from({ length: 6 }, (_, i) => ({
  tokenIds: Array.from({ length: 20 + 15 * i }, () => Math.floor(random() * config.vocabularySize)),
}));

/** Takes the same step on both. @returns the difference of the norms, relative to the local one. */
async function step(): Promise<number> {
  const logProb = sequences.map(({ tokenIds }) =>
    Float32Array.from(tokenIds, () => (random() - 0.5) / 100),
  );
  const norms: number[] = [];
  for (const engine of [remote, local]) {
    await engine.backward({ sequences }, { logProb });
    norms.push((await engine.optimStep({ learningRate: 1e-3, maxGradientNorm })).gradientNorm);
  }
  const [there = 0, here = 0] = norms;
  return Math.abs(there / here - 1);
}

async function movedBy(engine: TrainEngine): Promise<Map<string, Float32Array>> {
  const parameters: TensorMap = await engine.parameters();
  return new Map(
    Array.from(parameters, ([name, { data }]) => {
      const from = start.get(name)?.data ?? new Float32Array();
      return [name, data.map((value, i) => value - (from[i] as number))];
    }),
  );
}

/** ‖remote − local‖ / ‖local‖ of the change of each parameter. */
async function gaps(): Promise<{ readonly median: number; readonly largest: number }> {
  const there = await movedBy(remote);
  const sorted = [...(await movedBy(local))]
    .map(([name, data]) => {
      const other = there.get(name) ?? new Float32Array();
      return (
        Math.hypot(...data.map((value, i) => value - (other[i] as number))) / Math.hypot(...data)
      );
    })
    .sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1] ?? 0, largest: sorted.at(-1) ?? 0 };
}

const normGaps: number[] = [];
for (let i = 0; i < 5; i++) normGaps.push(await step());
const afterFive = await gaps();
const [there, here] = await Promise.all([
  remote.forward({ sequences }),
  local.forward({ sequences }),
]);
const logProbGap = Math.max(
  ...here.logProb.flatMap((row, s) =>
    Array.from(row, (value, t) => Math.abs(value - (there.logProb[s]?.[t] ?? Number.NaN))),
  ),
);
const checkpoint = await remote.save();
const logProb = sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length).fill(0.01));
await remote.backward({ sequences }, { logProb });
await remote.optimStep({ learningRate: 1e-3, maxGradientNorm });
await remote.load(checkpoint);
const normGapAfterLoad = await step();
process.stdout.write(
  `${JSON.stringify({
    device: remote.capabilities().device,
    openMs,
    largestNormGap: Math.max(...normGaps),
    logProbGap,
    parameters: start.size,
    afterFive,
    normGapAfterLoad,
    afterLoad: await gaps(),
  })}\n`,
);
await remote.dispose();
await local.dispose();
