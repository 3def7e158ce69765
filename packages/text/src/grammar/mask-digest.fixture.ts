/** One digest over the masks of several grammars along sampled texts. Equal on every platform. */
import { sha256 } from "@waggle/protocol";
import type { GrammarSpec } from "@waggle/protocol";
import { createGrammarCompiler } from "./compiler.ts";
import { idsOf, STOP, tokenizerFiles } from "./grammar.fixture.ts";

const SCHEMA = {
  type: "object",
  properties: { ключ: { type: "string", minLength: 2 }, n: { type: "number", minimum: 0.5 } },
  required: ["ключ"],
};

const SPECS: readonly GrammarSpec[] = [
  { kind: "json" },
  { kind: "json-schema", schema: SCHEMA },
  { kind: "regex", pattern: "[a-zé]{2,6}(?: \\d+)*" },
  { kind: "ebnf", grammar: 'root ::= "x" [^y]{1,3} ("," root)?' },
  {
    kind: "tool-calls",
    format: "hermes",
    tools: [{ name: "f", parameters: SCHEMA }],
    choice: "auto",
    parallel: true,
  },
];

/** Recorded in Node 24. The digest depends only on tokens and grammars. */
export const MASK_DIGEST = "3f654ff07c1d7f428b664258de064f67409ade7b2855be10178647303e3f1633";

export async function maskDigest(): Promise<string> {
  const files = tokenizerFiles(
    ['{"', '":', "é", " the", "}}"],
    [
      { content: "<tool_call>", special: false },
      { content: "</tool_call>", special: false },
    ],
  );
  const compiler = createGrammarCompiler(files, { vocabularySize: 300 });
  const masks: number[] = [];
  for (const spec of SPECS) {
    const matcher = (await compiler.compile(spec)).createMatcher();
    const random = recordedRandom(masks.length);
    for (let left = 60, id = -1; id !== STOP; left--) {
      const mask = matcher.nextMask(left);
      masks.push(...(mask ?? []));
      const allowed = idsOf(mask);
      id = allowed[Math.floor(random() * allowed.length)] as number;
      matcher.accept(id);
    }
  }
  return sha256(new Uint8Array(Uint32Array.from(masks).buffer));
}

/** The linear congruential generator that the digest was recorded with. */
function recordedRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
