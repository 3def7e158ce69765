/** Tests that sampled tokens follow the distribution that their records state. */
import type { GrammarSpec } from "@waggle/protocol";
import { createNodePolicy } from "@waggle/runtime/node";
import type { AdaptivePolicy } from "@waggle/runtime";
import { chiSquare, pValue } from "../chi-square.ts";
import type { Observed } from "../chi-square.ts";
import { readNanoModel } from "../nano-model.ts";
import { benchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";

type Drawing = {
  readonly name: string;
  readonly distribution: {
    readonly temperature: number;
    readonly topK: number;
    readonly topP: number;
  };
  readonly grammar?: GrammarSpec;
};

/** `eos_token_id` of the nano model. */
const STOP_TOKEN = 831;
const LETTERS: GrammarSpec = { kind: "regex", pattern: "[a-h]{1,6}" };
const DRAWINGS: readonly Drawing[] = [
  { name: "full support", distribution: { temperature: 1, topK: 0, topP: 1 } },
  { name: "temperature 1.6", distribution: { temperature: 1.6, topK: 0, topP: 1 } },
  { name: "top-k 12", distribution: { temperature: 1, topK: 12, topP: 1 } },
  { name: "top-p 0.8", distribution: { temperature: 1.2, topK: 0, topP: 0.8 } },
  { name: "top-k 30, top-p 0.7", distribution: { temperature: 1.5, topK: 30, topP: 0.7 } },
  { name: "mask", distribution: { temperature: 1, topK: 0, topP: 1 }, grammar: LETTERS },
  {
    name: "mask, top-p 0.9",
    distribution: { temperature: 2, topK: 0, topP: 0.9 },
    grammar: LETTERS,
  },
];
/** Rows of one group. */
const ROWS = 32;
/** Arbitrary ids: on inputs it has never seen, the model's distribution is broad. */
const PROMPTS: readonly (readonly number[])[] = Array.from({ length: 6 }, (_, index) =>
  Array.from({ length: 2 + index }, (__, i) => ((i + 3) * (index + 5) * 37) % 800),
);
/** Below this p-value the test fails: one false alarm in 150 runs of all drawings. */
const LEAST_P = 1e-3;

export const distribution: Scenario = {
  name: "distribution",
  description: "χ² of sampled tokens against their recorded distribution",
  run: async function* ({ quick, report }) {
    const { config, weights, tokenizerFiles } = readNanoModel(512);
    const policy = await createNodePolicy({
      config,
      weights,
      tokenizerFiles,
      baseModel: "0".repeat(64),
    });
    const draws = quick ? 320 : 3200;
    for (const drawing of DRAWINGS) {
      report(`${draws} draws after each of ${PROMPTS.length} prompts with ${drawing.name}`);
      const sum = { statistic: 0, degrees: 0 };
      for (const [index, prompt] of PROMPTS.entries()) {
        const seen = await draw(policy, prompt, drawing, draws, index * draws);
        const { statistic, degrees } = chiSquare(seen, draws);
        sum.statistic += statistic;
        sum.degrees += degrees;
      }
      const p = pValue(sum);
      yield benchRow({
        name: `χ² of ${draws * PROMPTS.length} draws, ${drawing.name}, ${sum.degrees} degrees of freedom`,
        ours: p,
        peer: LEAST_P,
        peerName: "least p-value",
        unit: "p",
        agree: sum.degrees > 0 && p >= LEAST_P,
      });
    }
    await policy.dispose();
  },
};

/** The first sampled tokens after the prompt, with their recorded probabilities. */
async function draw(
  policy: AdaptivePolicy,
  prompt: readonly number[],
  { distribution: shape, grammar }: Drawing,
  draws: number,
  seed: number,
): Promise<Observed[]> {
  const trunk = await policy.createContext();
  trunk.append(prompt);
  const seen = new Map<number, Observed>();
  for (let first = 0; first < draws; first += ROWS) {
    const sessions = await trunk.group(ROWS);
    const samples = await Promise.all(
      sessions.map((session, i) =>
        session.generate({
          sampling: { ...shape, seed: seed + first + i },
          stopTokenIds: [STOP_TOKEN],
          // A grammar needs further tokens to close; only the first is tested.
          maxTokens: grammar === undefined ? 1 : 8,
          ...(grammar && { grammar }),
        }),
      ),
    );
    for (const session of sessions) session.dispose();
    for (const { tokenIds, behaviorLogProbs } of samples) {
      const id = tokenIds[0] as number;
      const probability = Math.exp(behaviorLogProbs[0] as number);
      seen.set(id, { count: (seen.get(id)?.count ?? 0) + 1, probability });
    }
  }
  trunk.dispose();
  return [...seen.values()];
}
