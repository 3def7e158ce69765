/**
 * The suite that every TrainEngine implementation runs: numbers against PyTorch and a float64 twin, and
 * the behavior that the port promises.
 */
import type { TrainEngine } from "@waggle/protocol";
import { afterEach, describe, expect, test } from "vitest";
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
};

/** Registers the tests of the contract. */
export function trainEngineContract({
  name,
  create,
  budget = F32_BUDGET,
  skip = [],
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
    test.for(kept)("$title", async ({ body }) => {
      expect.hasAssertions();
      await body(engineOf, budget);
    });

    test("every listed deviation names a test of the contract", () => {
      const titles = cases.map(({ title }) => title);
      expect(skip.filter((entry) => !titles.includes(entry.test))).toEqual([]);
    });
  });
}
