/**
 * Case memory learns with frozen weights: a scripted policy repeats the action of the case that it
 * reads, and the choice of the case is learned online. Controls: random choice of cases, and
 * shuffled rewards.
 */
import { environmentNamed, type EnvironmentSpec } from "@waggle/environments";
import { guidanceOf, recipeNamed } from "@waggle/learning";
import type { PolicyContext, TrainEngine } from "@waggle/protocol";
import { ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { seededRandom } from "@waggle/protocol";
import { runRecipe } from "../loop/recipe-run.ts";
import type { RunParts, RunResult } from "../loop/run-options.ts";

const tokenizer = new ByteTokenizer();
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(4096) });
const BANDIT = environmentNamed("bandit");
const LEVERS = ["left", "middle", "right"] as const;
const STEPS = 28;
/** Steps over which success is measured. */
const LAST = 8;

/** Repeats the lever of a successful case, and pulls another lever after a failed case. */
function copyingPolicy(seed: number): RunParts["policy"] {
  const random = seededRandom(seed, 0xc0);
  const context = (): PolicyContext => {
    const tokenIds: number[] = [];
    return {
      policyVersion: 0,
      tokenIds,
      append: (more) => void tokenIds.push(...more),
      generate: async () => {
        const read = /A case that went (well|wrong): .*\n(\w+)/.exec(tokenizer.decode(tokenIds));
        const pulled = read?.[1] === "well" ? LEVERS.filter((lever) => lever === read[2]) : [];
        const choices = pulled.length > 0 ? pulled : LEVERS.filter((lever) => lever !== read?.[2]);
        const said = format.encodeAssistant(choices[Math.floor(random() * choices.length)] ?? "");
        tokenIds.push(...said);
        const numbers = said.map(() => 0);
        return {
          tokenIds: said,
          behaviorLogProbs: numbers,
          rawLogProbs: numbers,
          entropies: numbers,
          stopReason: "stop-token",
        };
      },
      adoptCurrentVersion: () => {},
      dispose: () => {},
    };
  };
  return {
    baseModel: "0".repeat(64),
    contextLength: 4096,
    vocabularySize: 300,
    currentVersion: 0,
    client: { build: "test", backend: "scripted", device: "test", crossOriginIsolated: false },
    setAdapter: async () => {},
    createContext: async () => context(),
    score: () => Promise.reject(new Error("never")),
    dispose: async () => {},
  };
}

/** The bandit with rewards that do not depend on the action. */
function shuffled(seed: number): EnvironmentSpec {
  const random = seededRandom(seed, 0x5f);
  return {
    ...BANDIT,
    create: (reference) => {
      const instance = BANDIT.create(reference);
      return {
        ...instance,
        judge: async (text) => ({ ...(await instance.judge(text)), reward: Math.round(random()) }),
      };
    },
  };
}

/** Frozen weights: any change to them throws. */
const frozen = { parameters: async () => new Map() } as unknown as TrainEngine;

async function run(
  how: "learned" | "random" | "shuffled rewards",
  seed: number,
  evaluationTasks = 0,
): Promise<{ readonly rate: number; readonly result: RunResult }> {
  const recipe = recipeNamed("agent-fly")(how === "random" ? { temperature: 1e9 } : {});
  const rates: number[] = [];
  const result = await runRecipe(
    recipe,
    {
      engine: frozen,
      policy: copyingPolicy(seed),
      format,
      resources: {},
      spec: how === "shuffled rewards" ? shuffled(seed) : BANDIT,
      adapterShape: { rank: 1, alpha: 1 },
    },
    { seed, evaluationTasks, evaluateEvery: 0, steps: STEPS },
    (event) => {
      if (event.event === "step") rates.push(event.metrics["successRate"] ?? 0);
    },
    new AbortController().signal,
  );
  const last = rates.slice(-LAST);
  return { rate: last.reduce((sum, rate) => sum + rate, 0) / last.length, result };
}

test("a learned choice of cases beats a random choice and shuffled rewards, with frozen weights", async () => {
  const rates = { learned: [], random: [], "shuffled rewards": [] } as Record<
    Parameters<typeof run>[0],
    number[]
  >;
  for (const how of ["learned", "random", "shuffled rewards"] as const) {
    for (const seed of [1, 2]) rates[how].push((await run(how, seed)).rate);
  }
  // 128 rollouts at a success rate of 0.5 have a standard deviation of 0.044: four of them.
  expect(Math.min(...rates.learned)).toBeGreaterThan(Math.max(...rates.random) + 0.18);
  expect(Math.min(...rates.learned)).toBeGreaterThan(Math.max(...rates["shuffled rewards"]) + 0.18);
});

test("held-out success rises above that of an empty memory, and the memory can be saved", async () => {
  const { result } = await run("learned", 4, 100);
  const success = ({ successes }: RunResult["base"]): number =>
    successes.filter(Boolean).length / successes.length;
  // 100 pairs of rollouts at a success rate of 0.5 have a standard deviation of 0.07.
  expect(success(result.final)).toBeGreaterThan(success(result.base) + 0.2);
  const guidance = guidanceOf(result.state);
  expect(guidance?.cases?.memory.cases.length).toBeGreaterThan(20);
});
