/**
 * The suite that every TrainEngine implementation runs: numbers against PyTorch and a float64 twin, and
 * the behavior that the port promises.
 */
import type { TrainEngine } from "@waggle/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { skipOutside } from "../../../../test/fixtures/long.ts";
import { F32_BUDGET } from "./train-engine.fixture.ts";
import type { Budget, ContractEngineOptions } from "./train-engine.fixture.ts";
import { trainEngineCandidates } from "./train-engine-candidates.contract.ts";
import { trainEngineHeads } from "./train-engine-heads.contract.ts";
import { trainEngineNumbers } from "./train-engine-numbers.contract.ts";
import { trainEngineTraining } from "./train-engine-training.contract.ts";
import { trainEngineTrees } from "./train-engine-trees.contract.ts";
import { trainEngineValues } from "./train-engine-values.contract.ts";

export type TrainEngineContractOptions = {
  readonly name: string;
  readonly create: (options: ContractEngineOptions) => Promise<TrainEngine>;
  /** Default: `F32_BUDGET`. */
  readonly budget?: Budget;
  /** Deviations by test name, each with its reason. */
  readonly skip?: readonly { readonly test: string; readonly reason: string }[];
  /** Whether `npm test` runs only the cases of `SAMPLE`. One engine runs all of them. */
  readonly isSampled?: boolean;
};

/** PyTorch's numbers, steps, a checkpoint and trees, of one model each. */
const SAMPLE: readonly string[] = [
  "forward gives PyTorch's outputs (qwen3, plain)",
  "forward gives PyTorch's outputs (llama, lora)",
  "backward gives PyTorch's gradients of every tensor (qwen3, full)",
  "backward gives PyTorch's gradients of every tensor (llama, lora)",
  "the gradient of logProb equals central differences of the plain twin, every tensor (qwen3, lora)",
  "candidates, values and their gradients are PyTorch's (qwen3, lora)",
  "neither padding, order nor microbatches change outputs or gradients",
  "a fresh adapter changes nothing and its B gets the first gradient",
  "optimStep moves parameters by AdamW on the gradients, over 10 steps",
  "training resumes from a checkpoint bit for bit (lora)",
  "a tiny model overfits one sequence, and not at learning rate 0",
  "a tree gives the results of its paths as separate sequences",
  "misuse is refused by code",
];

/** Registers the tests of the contract. */
export function trainEngineContract({
  name,
  create,
  budget = F32_BUDGET,
  skip = [],
  isSampled = false,
}: TrainEngineContractOptions): void {
  const cases = [
    ...trainEngineNumbers(),
    ...trainEngineCandidates(),
    ...trainEngineHeads(),
    ...trainEngineValues(),
    ...trainEngineTraining(),
    ...trainEngineTrees(),
  ];
  describe(`${name} meets the TrainEngine contract:`, () => {
    const open: TrainEngine[] = [];
    const engineOf = async (options: ContractEngineOptions): Promise<TrainEngine> => {
      const engine = await create(options);
      open.push(engine);
      return engine;
    };
    afterEach(async () => {
      for (const engine of open.splice(0)) await engine.dispose();
    });

    const kept = cases.filter(({ title }) => skip.every((entry) => entry.test !== title));
    test.for(kept)("$title", async ({ title, body }, context) => {
      skipOutside(!isSampled || SAMPLE.includes(title), context);
      expect.hasAssertions();
      await body(engineOf, budget);
    });

    test("every listed deviation names a test of the contract", () => {
      const titles = cases.map(({ title }) => title);
      expect(skip.filter((entry) => !titles.includes(entry.test))).toEqual([]);
      expect(SAMPLE.filter((title) => !titles.includes(title))).toEqual([]);
    });
  });
}
