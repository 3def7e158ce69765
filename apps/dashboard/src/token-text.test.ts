import {
  FULL_SUPPORT,
  type PolicyManifest,
  type SampledSegment,
  WaggleError,
} from "@waggle/protocol";
import { createTokenizer, trainByteLevelBpe } from "@waggle/text";
import { expect, test } from "vitest";
import { loadTokenizer, tokenTexts } from "./token-text.ts";

const tokenizerJson = trainByteLevelBpe(["größer, 3 Jacken"], {
  vocabularySize: 258,
  specialTokens: [{ content: "<|im_end|>", special: true }],
});
const tokenizer = createTokenizer({ tokenizerJson });

function segmentOf(tokenIds: number[]): SampledSegment {
  const zeros = tokenIds.map(() => 0);
  return {
    kind: "sampled",
    id: "s",
    parent: null,
    policyVersion: 0,
    sampling: { ...FULL_SUPPORT, seed: 0 },
    grammar: null,
    tokenIds,
    behaviorLogProbs: zeros,
    rawLogProbs: zeros,
    entropies: zeros,
    stopReason: "stop-token",
  };
}

test("every token has a text, and together they are the segment's text", () => {
  const ids = [...tokenizer.encode("größer 😀"), ...tokenizer.encodeTemplate("<|im_end|>")];
  const texts = tokenTexts(segmentOf(ids), tokenizer);
  expect(texts).toHaveLength(ids.length);
  expect(texts.join("")).toBe("größer 😀<|im_end|>");
});

test("an unfinished character ends in a replacement character", () => {
  const ids = tokenizer.encode("😀").slice(0, -1);
  expect(tokenTexts(segmentOf(ids), tokenizer).join("")).toBe("\u{fffd}");
});

test("without a tokenizer, ids are shown", () => {
  expect(tokenTexts(segmentOf([5, 6]), null)).toEqual(["#5 ", "#6 "]);
});

const sha256 = "1".repeat(64);
const manifest: PolicyManifest = {
  channel: "stable",
  policy: {
    version: 0,
    parent: null,
    baseModel: sha256,
    adapter: null,
    status: "stable",
    evaluation: null,
    step: 0,
    publishedAt: "2026-11-20T12:00:00.000Z",
  },
  baseModel: { sha256, files: [{ path: "tokenizer.json", sha256: "2".repeat(64), sizeBytes: 1 }] },
};

test("the tokenizer belongs to the trajectory's base model, found by hash, or there is none", async () => {
  const asked: string[] = [];
  const api = {
    manifest: () => Promise.resolve(manifest),
    object: (hash: string) => {
      asked.push(hash);
      return Promise.resolve(tokenizerJson);
    },
  };
  expect((await loadTokenizer(api, sha256))?.decode(tokenizer.encode("abc"))).toBe("abc");
  expect(asked).toEqual(["2".repeat(64)]);
  expect(await loadTokenizer(api, "3".repeat(64))).toBeNull();
  const away = { ...api, object: () => Promise.reject(new WaggleError("NETWORK", "away")) };
  expect(await loadTokenizer(away, sha256)).toBeNull();
});
