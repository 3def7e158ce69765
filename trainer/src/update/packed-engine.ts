/** An engine that reads rows as trees in which what they share at their beginning stands once. */
import { packTrees, rowsOfTrees, treesOfRows } from "@waggle/learning";
import type { TokenDerivatives, TokenOutputs, TrainBatch } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { type BatchEngine, withoutCandidates } from "./role-engine.ts";

const OUTPUTS = ["logProb", "rawLogProb", "entropy", "sumSquaredProb", "values"] as const;
const DERIVATIVES = ["logProb", "rawLogProb", "entropy", "values"] as const;

/** @throws WaggleError `CAPABILITY_MISSING` for an engine that reads no trees. */
export function packedEngine(engine: BatchEngine): BatchEngine {
  const { sequences, device } = engine.capabilities();
  if (!sequences.includes("parents")) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `tree-pack needs an engine that reads trees, got ${device}; train with --device cpu or another recipe`,
    );
  }
  return {
    learners: engine.learners,
    capabilities: () => withoutCandidates(engine.capabilities()),
    async forward(batch) {
      const packed = packTrees(batch.sequences);
      const outputs = await engine.forward(packedBatch(batch, packed.trees));
      const rows = OUTPUTS.flatMap((name) => {
        const values = outputs[name];
        return values === undefined ? [] : [[name, rowsOfTrees(packed, values)] as const];
      });
      return Object.fromEntries(rows) as unknown as TokenOutputs;
    },
    async backward(batch, derivatives) {
      const packed = packTrees(batch.sequences);
      const summed = DERIVATIVES.flatMap((name) => {
        const rows = derivatives[name];
        return rows === undefined ? [] : [[name, treesOfRows(packed, rows)] as const];
      });
      await engine.backward(
        packedBatch(batch, packed.trees),
        Object.fromEntries(summed) as TokenDerivatives,
      );
    },
  };
}

function packedBatch(batch: TrainBatch, sequences: TrainBatch["sequences"]): TrainBatch {
  return { ...batch, sequences };
}
