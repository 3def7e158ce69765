/**
 * An engine that is given its batches in passes of a bounded size, with a word between them: there a
 * long step renews its leases and hears that it should stop. Gradients add up over passes, so the numbers
 * stay; how much memory a pass takes is the engine's own business.
 */
import type {
  TokenDerivatives,
  TokenOutputs,
  TrainBatch,
  TrainEngine,
  TrainSequence,
} from "@waggle/protocol";

export type PassOptions = {
  /** Most tokens of one pass; a longer sequence makes one of its own. */
  readonly tokens: number;
  /** Sequences with the same key begin alike, which an engine reads once: they stay together. */
  readonly keyOf: (sequence: TrainSequence) => unknown;
  /** Called before each pass; may throw to stop, which leaves the parameters unchanged. */
  readonly between: () => Promise<void>;
};

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

/** Sequences of one key are cut apart only where they alone are too many. */
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

/** Rows of all passes in their order. */
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
