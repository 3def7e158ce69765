/**
 * Combines the engines of several roles into one, for batches whose tokens have owners. Each token's
 * outputs come from its owner's engine, and its derivatives go only to that engine.
 */
import type {
  EngineCapabilities,
  TokenDerivatives,
  TokenOutputs,
  TrainBatch,
  TrainEngine,
} from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";

/** The part of an engine that an update uses. */
export type BatchEngine = Pick<TrainEngine, "capabilities" | "forward" | "backward"> & {
  /** The engines that take a step. */
  readonly learners: readonly TrainEngine[];
};

/** A single engine that owns all tokens. */
export function soleEngine(engine: TrainEngine): BatchEngine {
  return {
    capabilities: () => engine.capabilities(),
    forward: (batch) => engine.forward(batch),
    backward: (batch, derivatives) => engine.backward(batch, derivatives),
    learners: [engine],
  };
}

/** The capabilities without candidate log-probs, which cannot be combined over several engines. */
function withoutCandidates(capabilities: EngineCapabilities): EngineCapabilities {
  return {
    ...capabilities,
    outputs: capabilities.outputs.filter((name) => name !== "candidateLogProbs"),
    derivatives: capabilities.derivatives.filter((name) => name !== "candidateLogProbs"),
  };
}

type Owned = {
  readonly engine: TrainEngine;
  readonly learns: boolean;
  /** Rows of the batch in which the role owns a token. */
  readonly rows: readonly number[];
  readonly owns: (row: number, token: number) => boolean;
};

/**
 * Offset from an output to the token that owns it: the value at a token is that of the state before the
 * next one.
 */
const AHEAD = { logProb: 0, rawLogProb: 0, entropy: 0, sumSquaredProb: 0, values: 1 } as const;
type RowOutput = keyof typeof AHEAD;
const DERIVATIVES = ["logProb", "rawLogProb", "entropy", "values"] as const;

/**
 * @param owners - `[B][T]` role of each token, for the batch of all later calls.
 * @param learn - roles whose engines take derivatives and steps.
 * @throws WaggleError `CAPABILITY_MISSING` if an owner has no engine.
 */
export function roleEngine(
  engines: ReadonlyMap<string, TrainEngine>,
  owners: readonly (readonly string[])[],
  learn: readonly string[],
): BatchEngine {
  const all = [...new Set(owners.flat())].map((role): Owned => {
    const engine = engines.get(role);
    if (engine === undefined) {
      throw new WaggleError(
        "CAPABILITY_MISSING",
        `a token belongs to the role ${role}, which has no adapter (roles with one: ${[...engines.keys()].join(", ")}); name the role in the stage's state`,
      );
    }
    return {
      engine,
      learns: learn.includes(role),
      rows: [...owners.keys()].filter((b) => owners[b]?.includes(role)),
      owns: (b, t) => owners[b]?.[t] === role,
    };
  });
  const learning = all.filter(({ learns }) => learns);
  return {
    learners: learning.map(({ engine }) => engine),
    capabilities: () => withoutCandidates((all[0] as Owned).engine.capabilities()),
    forward: async (batch) => {
      const merged = new Map<RowOutput, Float32Array[]>();
      for (const owned of all) {
        const outputs = await owned.engine.forward(partOf(batch, owned));
        for (const name of Object.keys(AHEAD) as RowOutput[]) {
          const rows = outputs[name];
          if (rows === undefined) continue;
          const into = merged.get(name) ?? zerosOf(batch);
          merged.set(name, into);
          for (const [at, b] of owned.rows.entries()) {
            const own = ownedRow(rows[at], b, owned, AHEAD[name]);
            for (const [t, value] of own.entries()) (into[b] as Float32Array)[t]! += value;
          }
        }
      }
      return Object.fromEntries(merged) as unknown as TokenOutputs;
    },
    backward: async (batch, derivatives) => {
      for (const owned of learning) {
        const own: { -readonly [name in keyof TokenDerivatives]: TokenDerivatives[name] } = {};
        for (const name of DERIVATIVES) {
          const rows = derivatives[name];
          if (rows === undefined) continue;
          own[name] = owned.rows.map((b) => ownedRow(rows[b], b, owned, AHEAD[name]));
        }
        await owned.engine.backward(partOf(batch, owned), own);
      }
    },
  };
}

function partOf(batch: TrainBatch, { rows }: Owned): TrainBatch {
  const sequences = rows.flatMap((b) => batch.sequences.slice(b, b + 1));
  return { ...batch, sequences };
}

function zerosOf({ sequences }: TrainBatch): Float32Array[] {
  return sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length));
}

/** The row with 0 at the tokens of other owners. */
function ownedRow(
  row: Float32Array | undefined,
  b: number,
  { owns }: Owned,
  ahead: number,
): Float32Array {
  return (row ?? new Float32Array()).map((value, t, { length }) =>
    owns(b, Math.min(t + ahead, length - 1)) ? value : 0,
  );
}
