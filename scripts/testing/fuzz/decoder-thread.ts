/** Decodes a range of inputs in a thread, so that a decoder that hangs or runs out of memory ends only the thread. */
import { parentPort, workerData } from "node:worker_threads";
import { decodeOne, DECODERS } from "./decoders.ts";

/** What the thread is given. */
export type DecoderWork = {
  readonly target: string;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** One number: the index of the input that is being decoded. */
  readonly at: Int32Array;
};

/** What the thread says about an input that is a defect. */
export type DecoderDefect = { readonly index: number; readonly what: string };

const { target, seed, from, to, at } = workerData as DecoderWork;
const decoder = DECODERS.find(({ name }) => name === target);
if (decoder === undefined) throw new Error(`there is no decoder ${target}`);
for (let index = from; index < to; index += 1) {
  Atomics.store(at, 0, index);
  const what = await decodeOne(decoder, seed, index);
  if (what !== null) parentPort?.postMessage({ index, what } satisfies DecoderDefect);
}
Atomics.store(at, 0, to);
