/**
 * An engine that processes its batches in passes of a bounded size and calls back between them. A long
 * step can then renew its leases and notice an abort. Gradients accumulate over the passes, so the
 * results stay the same. The engine itself decides how much memory a pass takes.
 */
import type {
  TokenDerivatives,
  TokenOutputs,
  TrainBatch,
  TrainEngine,
  TrainSequence,
} from "@waggle/protocol";

export type PassOptions = {
  /** Most tokens per pass; a longer sequence gets a pass of its own. */
  readonly tokens: number;
  /**
   * Sequences with the same key share a prefix, which an engine reads once; they stay in one pass.
   */
  readonly keyOf: (sequence: TrainSequence) => unknown;
  /**
   * Called before each pass. It may throw to stop the step, which leaves the parameters unchanged.
   */
  readonly between: () => Promise<void>;
};

/** The engine with its forward and backward calls split into passes. */
export function inPasses(engine: TrainEngine, options: PassOptions): TrainEngine {
  return {
    capabilities: () => engine.capabilities(),
    async forward(batch) {
      const outputs: TokenOutputs[] = [];
      for (const pass of passesOf(batch, options)) {
        await options.between();
        outputs.push(await engine.forward(cutBatch(batch, pass)));
      }
      return joined(outputs);
    },
    async backward(batch, derivatives) {
      for (const pass of passesOf(batch, options)) {
        await options.between();
        await engine.backward(cutBatch(batch, pass), cutRows(derivatives, pass));
      }
    },
    optimStep: (step) => engine.optimStep(step),
    gradients: () => engine.gradients(),
    parameters: () => engine.parameters(),
    save: () => engine.save(),
    load: (checkpoint) => engine.load(checkpoint),
    dispose: () => engine.dispose(),
  };
}

/** `[from, to)` of a batch's sequences. */
type Pass = readonly [from: number, to: number];

/** Sequences with the same key are split only if they exceed the limit by themselves. */
function passesOf({ sequences }: TrainBatch, { tokens, keyOf }: PassOptions): Pass[] {
  const passes: [number, number][] = [];
  let free = 0;
  for (let from = 0; from < sequences.length;) {
    const key = keyOf(sequences[from] as TrainSequence);
    let to = from + 1;
    while (to < sequences.length && keyOf(sequences[to] as TrainSequence) === key) to += 1;
    const isLarge = lengthOf(sequences.slice(from, to)) > tokens;
    const ends = isLarge ? Array.from({ length: to - from }, (_, i) => from + i + 1) : [to];
    for (const end of ends) {
      const size = lengthOf(sequences.slice(from, end));
      const last = passes.at(-1);
      if (last !== undefined && size <= free) last[1] = end;
      else {
        passes.push([from, end]);
        free = tokens;
      }
      free -= size;
      from = end;
    }
  }
  return passes;
}

function lengthOf(sequences: readonly TrainSequence[]): number {
  return sequences.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
}

function cutBatch(batch: TrainBatch, [from, to]: Pass): TrainBatch {
  return { ...batch, sequences: batch.sequences.slice(from, to) };
}

function cutRows(derivatives: TokenDerivatives, [from, to]: Pass): TokenDerivatives {
  return Object.fromEntries(
    Object.entries(derivatives).map(([name, rows]) => [name, rows?.slice(from, to)]),
  );
}

/** The rows of all passes in order. */
function joined(passes: readonly TokenOutputs[]): TokenOutputs {
  const rows = <T>(of: (pass: TokenOutputs) => readonly T[] | undefined): readonly T[] =>
    passes.flatMap((pass) => of(pass) ?? []);
  const [first] = passes;
  return {
    logProb: rows((pass) => pass.logProb),
    rawLogProb: rows((pass) => pass.rawLogProb),
    entropy: rows((pass) => pass.entropy),
    sumSquaredProb: rows((pass) => pass.sumSquaredProb),
    ...(first?.values === undefined ? {} : { values: rows((pass) => pass.values) }),
    ...(first?.candidateLogProbs === undefined
      ? {}
      : { candidateLogProbs: rows((pass) => pass.candidateLogProbs) }),
  };
}
