/**
 * Engines of several roles as one, for a batch whose tokens have owners: every number of a token comes
 * from its owner's engine, and its derivative goes there and nowhere else.
 */
import type {
  EngineCapabilities,
  TokenDerivatives,
  TokenOutputs,
  TrainBatch,
  TrainEngine,
} from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";

/** What an update asks of what it trains. */
export type BatchEngine = Pick<TrainEngine, "capabilities" | "forward" | "backward"> & {
  /** Those that take a step. */
  readonly learners: readonly TrainEngine[];
};

/** An engine that owns all tokens. */
export function soleEngine(engine: TrainEngine): BatchEngine {
  return {
    capabilities: () => engine.capabilities(),
    forward: (batch) => engine.forward(batch),
    backward: (batch, derivatives) => engine.backward(batch, derivatives),
    learners: [engine],
  };
}

/** Candidates of a token are one engine's and one row's. */
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
  /** Rows of the batch in which it owns a token. */
  readonly rows: readonly number[];
  readonly owns: (row: number, token: number) => boolean;
};

/** How far ahead of a number its token is: the value before a token is that of the state before it. */
const AHEAD = { logProb: 0, rawLogProb: 0, entropy: 0, sumSquaredProb: 0, values: 1 } as const;
type RowOutput = keyof typeof AHEAD;
const DERIVATIVES = ["logProb", "rawLogProb", "entropy", "values"] as const;

/**
 * @param owners - `[B][T]` of the batch that all calls are about.
 * @param learn - roles whose engines take derivatives and steps.
 * @throws WaggleError `CAPABILITY_MISSING` for an owner without an engine.
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
        `a token must be that of a role with an adapter (${[...engines.keys()].join(", ")}), got ${role}; name the role in the stage's state`,
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

/** The row with 0 for what others own. */
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
