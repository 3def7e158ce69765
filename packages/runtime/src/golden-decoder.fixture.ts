/**
 * Compares a policy with PyTorch's values for the golden decoders (test/golden/decoder). Tests
 * only.
 */
import { parseDecoderConfig, readAdapter } from "@waggle/model";
import { expect } from "vitest";
import type { AdaptivePolicy } from "./session/session.ts";

/** Reads one file of a golden decoder's folder. */
export type ReadGolden = (name: string) => Promise<Uint8Array>;

type GoldenCase = {
  readonly sequences: readonly {
    readonly tokenIds: readonly number[];
    readonly temperatures: readonly number[];
    readonly keptTokenIds: readonly (readonly number[] | null)[];
  }[];
  readonly outputs: readonly {
    readonly logProb: readonly number[];
    readonly rawLogProb: readonly number[];
    readonly entropy: readonly number[];
  }[];
};

type Golden = {
  readonly rank: number;
  readonly alpha: number;
  readonly cases: {
    readonly plain: GoldenCase;
    readonly full: GoldenCase;
    readonly lora: GoldenCase;
  };
};

/** Files of a golden decoder, as a page loads them. */
export async function goldenModelFiles(read: ReadGolden): Promise<Map<string, Uint8Array>> {
  return new Map([
    ["config.json", await read("config.json")],
    ["model.safetensors", await read("model.safetensors")],
  ]);
}

/**
 * Scores every golden sequence, with its temperatures and kept sets and with the golden adapter, and
 * expects every number within 1e-4 nats of PyTorch's.
 *
 * @param everyTemperature - false: only one temperature of each sequence, for slow devices.
 */
export async function expectGolden(
  policy: AdaptivePolicy,
  read: ReadGolden,
  { everyTemperature = true }: { readonly everyTemperature?: boolean } = {},
): Promise<void> {
  const golden = JSON.parse(new TextDecoder().decode(await read("golden.json"))) as Golden;
  const config = parseDecoderConfig(
    JSON.parse(new TextDecoder().decode(await read("config.json"))),
  );
  let compared = await compareCase(policy, golden.cases.plain, everyTemperature);
  compared += await compareCase(policy, golden.cases.full, everyTemperature);
  await policy.setAdapter(1, readAdapter(await read("adapter_model.safetensors"), golden, config));
  compared += await compareCase(policy, golden.cases.lora, everyTemperature);
  expect(compared).toBeGreaterThan(200);
}

async function compareCase(
  policy: AdaptivePolicy,
  golden: GoldenCase,
  everyTemperature: boolean,
): Promise<number> {
  let compared = 0;
  for (const [index, sequence] of golden.sequences.entries()) {
    const expected = golden.outputs[index];
    if (expected === undefined) throw new Error(`no outputs of sequence ${index}`);
    // A request has one temperature, so a sequence with several is scored once for each.
    const temperatures = [...new Set(sequence.temperatures.slice(1))];
    for (const temperature of everyTemperature ? temperatures : temperatures.slice(0, 1)) {
      const { tokenIds, keptTokenIds } = sequence;
      const scores = await policy.score({
        tokenIds,
        keptTokenIds,
        sampling: { temperature, topK: 0, topP: 1 },
      });
      for (let t = 1; t < tokenIds.length; t++) {
        expectNear(scores.rawLogProbs[t], expected.rawLogProb[t]);
        compared++;
        if (sequence.temperatures[t] !== temperature) continue;
        expectNear(scores.behaviorLogProbs[t], expected.logProb[t]);
        expectNear(scores.entropies[t], expected.entropy[t]);
        compared += 2;
      }
    }
  }
  return compared;
}

function expectNear(actual = Number.NaN, expected = Number.NaN): void {
  expect(Math.abs(actual - expected)).toBeLessThan(1e-4);
}
