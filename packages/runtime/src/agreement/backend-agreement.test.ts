/** Tests the suite itself: it accepts a correct backend and detects every planted fault. */
import { describe, expect, test } from "vitest";
import { AGREEMENT_CASES } from "./agreement-cases.ts";
import { QWEN3 } from "./agreement-models.ts";
import { AGREEMENT_BUDGET, backendAgreementContract } from "./backend-agreement.contract.ts";
import { plainBackend } from "./plain-backend.fixture.ts";
import type { Fault } from "./plain-backend.fixture.ts";
import { randomDecoderWeights } from "./random-decoder.ts";

const SHORT = [1, 2, 3, 31, 32, 33, 40];

backendAgreementContract({
  name: "the plain backend",
  create: async (config, weights) => plainBackend(config, weights, null),
  prefillLengths: SHORT,
});

describe("controls: a silently wrong backend is detected", () => {
  const planted: readonly (readonly [Fault, string])[] = [
    ["a head is off", "prefills"],
    ["long prefills lose a token", "prefills"],
    ["rows are mixed up", "rows of different lengths"],
    ["a fork shares what follows", "forks"],
    ["truncation is forgotten", "truncated"],
    ["the first adapter stays", "adapters"],
    ["scale is ignored", "adapters"],
    ["the mask is ignored", "masks"],
    ["scores are of temperature 1", "prefills"],
  ];
  const weights = randomDecoderWeights(QWEN3, 3);

  test.for(planted)("%s", async ([fault, title]) => {
    const seeing = AGREEMENT_CASES.find((entry) => entry.title.startsWith(title));
    const deviation = await seeing?.run({
      backend: plainBackend(QWEN3, weights, fault),
      config: QWEN3,
      weights,
      prefillLengths: SHORT,
      maxRows: 4,
    });
    expect(deviation?.nats).toBeGreaterThan(10 * AGREEMENT_BUDGET.f32);
  });
});
