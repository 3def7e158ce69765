/**
 * Measures the memory of training beside a sampler over an int8 base. Run as a separate process with a
 * model folder and `opened` (as train, simulate and learn do) or `loaded` (all weights in float32
 * first) as arguments. Prints one JSON line. Tests only.
 */
import { FULL_SUPPORT } from "@waggle/protocol";
import { peakMemoryBytes } from "../../../test/fixtures/peak-memory.ts";
import { openBaseModel, readBaseModel } from "./base-model.ts";
import { heldAs } from "./frozen-base.ts";
import { openEngine, openPolicy } from "./open-model.ts";

/** Memory use in bytes. */
export type HeldMemory = {
  /** Increase over Node's initial use: JavaScript array buffers, and the process's peak. */
  readonly arrays: number;
  readonly peak: number;
};

const [, , folder = "", how] = process.argv;
const IDS = Array.from({ length: 16 }, (_, t) => t);

async function used(): Promise<NodeJS.MemoryUsage> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage();
}

const before = await used();
const model = await (how === "loaded" ? readBaseModel : openBaseModel)(folder);
const shape = { rank: 2, alpha: 4 };
const engine = await openEngine(
  model,
  "cpu",
  { ...shape, seed: 1 },
  { threads: 1, base: "int8", memoryLimit: 4e9 },
);
const policy = await openPolicy(heldAs(model, "int8"), 1);
const speak = async (): Promise<void> => {
  const session = await policy.createContext();
  session.append(IDS);
  const sampling = { ...FULL_SUPPORT, seed: 1 };
  await session.generate({ sampling, stopTokenIds: [], maxTokens: 2 });
};
await speak();
const derivatives = { logProb: [new Float32Array(IDS.length).fill(-0.1)] };
await engine.backward({ sequences: [{ tokenIds: IDS }] }, derivatives);
await engine.optimStep({ learningRate: 1e-3 });
await policy.setAdapter(1, { ...shape, tensors: await engine.parameters() });
await speak();
const { arrayBuffers } = await used();
const report: HeldMemory = {
  arrays: arrayBuffers - before.arrayBuffers,
  peak: peakMemoryBytes() - before.rss,
};
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
