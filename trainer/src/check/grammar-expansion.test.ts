import type { GrammarSpec, SampledSegment, Trajectory } from "@waggle/protocol";
import { NANO_SPECIAL_TOKENS, nanoTokenizerConfig, trainByteLevelBpe } from "@waggle/text";
import { createGrammarCompiler, grammarId } from "@waggle/text/grammar";
import { expect, test } from "vitest";
import { expandGrammars } from "./grammar-expansion.ts";

const file = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const tokenizerJson = trainByteLevelBpe([], {
  vocabularySize: 263,
  specialTokens: NANO_SPECIAL_TOKENS,
});
const grammars = createGrammarCompiler(
  new Map([
    ["tokenizer.json", file(tokenizerJson)],
    ["tokenizer_config.json", file(nanoTokenizerConfig(512))],
  ]),
);
const [A, B, C] = [97, 98, 99];
const STOP = 258;
const SPEC: GrammarSpec = { kind: "regex", pattern: "[ab]{0,3}" };
const id = await grammarId(SPEC);

const trajectory = (
  segment: Partial<SampledSegment>,
  known: Trajectory["grammars"] = { [id]: SPEC },
): Trajectory =>
  ({
    grammars: known,
    segments: [
      { kind: "given", id: "s0", parent: null, role: "user", tokenIds: [1, 2] },
      {
        kind: "sampled",
        id: "s1",
        parent: "s0",
        grammar: id,
        tokenBudget: 3,
        tokenIds: [A, B, STOP],
        ...segment,
      },
    ],
  }) as unknown as Trajectory;

const keptOf = (expanded: Trajectory | null) =>
  (expanded?.segments[1] as SampledSegment | undefined)?.keptTokenIds;

test("a grammar expands to its allowed sets, with the token budget that forced it to close", async () => {
  const kept = keptOf(await expandGrammars(trajectory({}), grammars, 263));
  expect(kept).toEqual([[A, B, STOP], [A, B, STOP], [STOP]]);
  const roomy = trajectory({ tokenBudget: 9 });
  expect(keptOf(await expandGrammars(roomy, grammars, 263))?.[2]).toEqual([A, B, STOP]);
});

test("sets narrowed by top-k stay, as long as the grammar allows them", async () => {
  const cut = trajectory({ keptTokenIds: [[A, B], null, [STOP]] });
  expect(keptOf(await expandGrammars(cut, grammars, 263))).toEqual([[A, B], [A, B, STOP], [STOP]]);
  const forged = trajectory({ keptTokenIds: [[A, C], null, [STOP]] });
  expect(await expandGrammars(forged, grammars, 263)).toBeNull();
});

test.each([
  ["a token that the grammar forbids", trajectory({ tokenIds: [A, C, STOP] })],
  ["more tokens than the budget", trajectory({ tokenBudget: 2 })],
  ["no budget", trajectory({ tokenBudget: undefined })],
  ["a missing grammar", trajectory({}, {})],
  ["a different grammar under the same id", trajectory({}, { [id]: { kind: "json" } })],
  ["a grammar that cannot be compiled", trajectory({}, { [id]: { kind: "regex", pattern: "(" } })],
])("%s is refused", async (_, claimed) => {
  expect(await expandGrammars(claimed, grammars, 263)).toBeNull();
});

test("without a tokenizer, only trajectories without a grammar are trained on", async () => {
  expect(await expandGrammars(trajectory({}), null, 263)).toBeNull();
  const free = trajectory({ grammar: null });
  expect(await expandGrammars(free, null, 263)).toEqual(free);
});
