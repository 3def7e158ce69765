import { FULL_SUPPORT, WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import type { DecoderBackend, DecoderSession } from "../backend/decoder-backend.ts";
import { createScheduledPolicy } from "../session/scheduled-policy.ts";
import {
  TINY_BASE_MODEL,
  TINY_CONFIG,
  tinyAdapter,
  tinyPrompt,
  tinyWeights,
} from "../tiny-decoder.fixture.ts";
import { createNodeBackend } from "./node-backend.ts";

const weights = tinyWeights();

/** A policy whose device is lost at each of these runs, counted over all devices. */
async function openMortal(deaths: readonly number[]) {
  const backends: DecoderBackend[] = [];
  let runs = 0;
  const mortal = (session: DecoderSession): DecoderSession => ({
    maxRunTokens: session.maxRunTokens,
    maxRunScores: session.maxRunScores,
    maxRows: session.maxRows,
    createCache: () => session.createCache(),
    fork: (cache, length) => session.fork(cache, length),
    release: () => session.release(),
    run: (rows) => {
      if (!deaths.includes(++runs)) return session.run(rows);
      throw new WaggleError("DEVICE_LOST", "gone", { retryable: true });
    },
  });
  const policy = await createScheduledPolicy({
    openBackend: async () => {
      const backend = createNodeBackend({
        config: TINY_CONFIG,
        weights,
        contextLength: TINY_CONFIG.contextLength,
        threads: 1,
        maxRunTokens: 16,
      });
      backends.push(backend);
      return {
        dtype: backend.dtype,
        kernels: backend.kernels,
        open: async (adapter, scale) => mortal(await backend.open(adapter, scale)),
        memory: () => backend.memory(),
        dispose: () => backend.dispose(),
      };
    },
    client: { build: "0", backend: "node-cpu", device: "cpu x1", crossOriginIsolated: false },
    baseModel: TINY_BASE_MODEL,
    contextLength: TINY_CONFIG.contextLength,
    vocabularySize: TINY_CONFIG.vocabularySize,
  });
  return { policy, backends };
}

/** Two turns of a group of three under an adapter, and one session of the base beside them. */
async function converse(deaths: readonly number[]) {
  const { policy, backends } = await openMortal(deaths);
  const base = await policy.createContext();
  await policy.setAdapter(1, tinyAdapter(1));
  const root = await policy.createContext();
  root.append(tinyPrompt(30));
  base.append(tinyPrompt(20, 1));
  const group = await root.group(3);
  const samples = await Promise.all(
    [base, ...group].map(async (session, seed) => {
      const turns = [];
      for (let turn = 0; turn < 2; turn++) {
        const sampling = { ...FULL_SUPPORT, seed: 10 * seed + turn };
        turns.push(await session.generate({ sampling, stopTokenIds: [], maxTokens: 20 }));
        session.append(tinyPrompt(5, turn));
      }
      return turns;
    }),
  );
  const held = backends.at(-1)?.memory();
  await policy.dispose();
  return { samples: samples.flat(), held, backends };
}

test("after a lost native device, tokens and log-probs are the same and no memory is left", async () => {
  const whole = await converse([]);
  expect(whole.held?.caches).toBeGreaterThan(0);
  for (const deaths of [[1], [4], [17], [23, 31], [40]]) {
    const { samples, backends } = await converse(deaths);
    expect(backends).toHaveLength(1 + deaths.length);
    for (const [index, sample] of samples.entries()) {
      const expected = whole.samples[index];
      expect(sample.tokenIds).toEqual(expected?.tokenIds);
      const gaps = sample.behaviorLogProbs.map((value, t) =>
        Math.abs(value - (expected?.behaviorLogProbs[t] ?? Number.NaN)),
      );
      expect(Math.max(...gaps)).toBeLessThan(1e-4);
    }
    for (const backend of backends) {
      expect(backend.memory()).toEqual({ weights: 0, adapters: 0, caches: 0, scratch: 0 });
    }
  }
});
