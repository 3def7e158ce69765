/**
 * Contract of a base shared by several models: each model behaves as if it were alone, bit for bit.
 * Each implementation runs it and provides an engine with a single model for comparison.
 */
import { initializeAdapter } from "@waggle/model";
import type { Adapter } from "@waggle/model";
import type { ModelStart, SharedBase, TrainEngine, TrainSequence } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { codeOf, randomDerivatives, TINY } from "./train-engine.fixture.ts";

export type SharedBaseContractOptions = {
  readonly name: string;
  /** Opens a base over `loudWeights(TINY)`. */
  readonly open: () => Promise<SharedBase>;
  /** Creates an engine for that one model, with a base of its own. */
  readonly createAlone: (start: ModelStart) => Promise<TrainEngine>;
  readonly alpha: number;
};

const SEQUENCES: readonly TrainSequence[] = [
  { tokenIds: [3, 9, 28, 4, 4, 17, 0, 6] },
  { tokenIds: [11, 2, 25, 7] },
];

/** Registers the tests of the contract. */
export function sharedBaseContract(options: SharedBaseContractOptions): void {
  const { name, open, createAlone, alpha } = options;
  /** A fresh adapter: servers accept no other. */
  const start = (rank: number): ModelStart & { readonly adapter: Adapter } => ({
    adapter: initializeAdapter(TINY, { rank, alpha, seed: 1 }),
  });

  describe(`${name} holds several models:`, () => {
    const opened: { dispose(): Promise<void> }[] = [];
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.dispose();
    });
    const openBase = async (): Promise<SharedBase> => {
      const base = await open();
      opened.push(base);
      return base;
    };

    test("training one model changes no bit of another, even of another rank", async () => {
      const base = await openBase();
      const a = await base.createModel("a", start(3));
      const b = await base.createModel("b", start(5));
      await train(a, [1, 2]);
      await train(b, [3]);
      const before = await stateOf(b);
      const trained = await stateOf(a);
      await train(a, [4, 5]);
      expect(await stateOf(b)).toEqual(before);
      // control: the trained model does change
      expect((await stateOf(a)).outputs).not.toEqual(trained.outputs);
      expect(before.outputs).not.toEqual(trained.outputs);
    });

    test("each model takes the same steps as an engine of its own, bit for bit, in any order of calls", async () => {
      const base = await openBase();
      const a = await base.createModel("a", start(3));
      const b = await base.createModel("b", start(5));
      const alone = [await createAlone(start(3)), await createAlone(start(5))];
      opened.push(...alone);
      for (const seed of [1, 2]) {
        await Promise.all([backward(a, seed), backward(b, seed + 10)]);
        await b.forward({ sequences: SEQUENCES });
        // both models hold gradients while either runs
        await Promise.all([backward(b, seed + 20), backward(a, seed + 30)]);
        await Promise.all([step(a), step(b)]);
      }
      for (const [index, engine] of alone.entries()) {
        for (const seed of [1, 2]) {
          const [first, second] = index === 0 ? [seed, seed + 30] : [seed + 10, seed + 20];
          await backward(engine, first as number);
          await backward(engine, second as number);
          await step(engine);
        }
      }
      expect(await stateOf(a)).toEqual(await stateOf(alone[0] as TrainEngine));
      expect(await stateOf(b)).toEqual(await stateOf(alone[1] as TrainEngine));
    });

    test("an unloaded model frees its id, leaves the others alone, and resumes from its checkpoint", async () => {
      const base = await openBase();
      const a = await base.createModel("a", start(3));
      const b = await base.createModel("b", start(5));
      await train(a, [1]);
      await train(b, [2]);
      const [before, other, checkpoint] = [await stateOf(a), await stateOf(b), await a.save()];
      expect(base.modelIds()).toEqual(["a", "b"]);
      expect(base.model("a")).toBe(a);
      await base.unloadModel("a");
      expect(base.modelIds()).toEqual(["b"]);
      expect(await codeOf(a.forward({ sequences: SEQUENCES }))).toBe("DISPOSED");
      expect(() => base.model("a")).toThrow(WaggleError);
      expect(await codeOf(base.unloadModel("a"))).toBe("NOT_FOUND");
      const again = await base.createModel("a", start(3));
      await again.load(checkpoint);
      expect(await stateOf(again)).toEqual(before);
      expect(await stateOf(b)).toEqual(other);
      expect(await codeOf(base.createModel("b", start(3)))).toBe("INVALID_ARGUMENT");
      await base.dispose();
      expect(await codeOf(b.forward({ sequences: SEQUENCES }))).toBe("DISPOSED");
      expect(await codeOf(base.createModel("c", start(3)))).toBe("DISPOSED");
    });
  });
}

async function backward(engine: TrainEngine, seed: number): Promise<void> {
  const logProb = randomDerivatives(SEQUENCES, seed);
  await engine.backward({ sequences: SEQUENCES }, { logProb });
}

async function step(engine: TrainEngine): Promise<void> {
  await engine.optimStep({ learningRate: 0.01, maxGradientNorm: 1 });
}

async function train(engine: TrainEngine, seeds: readonly number[]): Promise<void> {
  for (const seed of seeds) {
    await backward(engine, seed);
    await step(engine);
  }
}

/** Log-probs and parameters, the outputs that every engine has. */
async function stateOf(engine: TrainEngine) {
  const { logProb } = await engine.forward({ sequences: SEQUENCES });
  return { outputs: logProb, parameters: await engine.parameters() };
}
