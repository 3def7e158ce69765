/**
 * Speed of decoding natively, as one JSON object: tokens a second by prompt length, threads and
 * adapter strategy, and milliseconds of a swap.
 * Run: node --conditions=source packages/runtime/src/decode.bench.ts
 */
import { NANO_CONFIG, nanoAdapter, measureDecoding } from "./decode-measurement.fixture.ts";
import { initializeDecoder } from "@waggle/model";
import { createNodePolicy } from "./node/index.ts";

const rows = [];
for (const threads of [1, 2]) {
  for (const adapterStrategy of ["merge", "inputs"] as const) {
    const policy = await createNodePolicy({
      config: NANO_CONFIG,
      weights: initializeDecoder(NANO_CONFIG, 1),
      baseModel: "0".repeat(64),
      threads,
      adapterStrategy,
    });
    const measured = await measureDecoding(policy, nanoAdapter(), () => performance.now());
    rows.push({ device: policy.client.device, adapterStrategy, ...measured });
    await policy.dispose();
  }
}
console.log(JSON.stringify({ config: NANO_CONFIG, rows }, null, 1));
