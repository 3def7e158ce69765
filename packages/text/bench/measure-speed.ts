/** Measures both compilers on the same tokens: reading a vocabulary, compiling, and masks. */
import type { JsonSchema } from "@waggle/protocol";
import { benchRow } from "../../runtime/bench/row.ts";
import type { BenchRow } from "../../runtime/bench/row.ts";
import type { Compiled, Masker } from "./masker.ts";
import { allows } from "./sampling.ts";
import type { BenchVocabulary } from "./vocabularies.ts";

/** What to measure, and on which texts. */
export type SpeedOptions = {
  readonly open: readonly [ours: () => Promise<Masker>, peer: () => Promise<Masker>];
  readonly vocabulary: BenchVocabulary;
  /** A text for each schema that both compilers accept. */
  readonly texts: ReadonlyMap<JsonSchema, string>;
};

/** Times in milliseconds. */
type Times = {
  opened: number;
  compiled: number[];
  /** Time to compute a mask and accept a token, for each token. */
  first: number[];
  again: number[];
  calls: number[];
  refused: number;
};

/** Times both compilers on every text. */
export async function measureSpeed({ open, vocabulary, texts }: SpeedOptions): Promise<BenchRow[]> {
  const times: Times[] = [];
  const maskers: Masker[] = [];
  for (const openOne of open) {
    const began = performance.now();
    maskers.push(await openOne());
    const opened = performance.now() - began;
    times.push({ opened, compiled: [], first: [], again: [], calls: [], refused: 0 });
  }
  // Alternates between both, so that other load on the machine affects them equally.
  for (const [schema, text] of texts) {
    const ids = vocabulary.encode(text);
    for (const [at, masker] of maskers.entries())
      await measureCall(masker, schema, ids, times[at] as Times);
  }
  for (const masker of maskers) masker.dispose();
  const [ours, peer] = times as [Times, Times];
  const agree = ours.refused === 0 && peer.refused === 0;
  const row = (name: string, unit: string, of: (found: Times) => number) =>
    benchRow({
      name: `${name}, vocabulary of ${vocabulary.name}`,
      unit,
      agree,
      ours: of(ours),
      peer: of(peer),
      peerName: (maskers[1] as Masker).name,
    });
  return [
    row("vocabulary read", "ms", ({ opened }) => opened),
    row("compile, median", "ms", ({ compiled }) => median(compiled)),
    row("compile, mean", "ms", ({ compiled }) => mean(compiled)),
    row("token, first call of a grammar, median", "µs", ({ first }) => 1000 * median(first)),
    row("token, first call of a grammar, mean", "µs", ({ first }) => 1000 * mean(first)),
    row("token, second call, median", "µs", ({ again }) => 1000 * median(again)),
    row("token, second call, mean", "µs", ({ again }) => 1000 * mean(again)),
    row("slowest token", "ms", ({ first }) => Math.max(...first)),
    row("first call, compiled and masked, mean", "ms", ({ calls }) => mean(calls)),
  ];
}

async function measureCall(
  masker: Masker,
  schema: JsonSchema,
  ids: readonly number[],
  times: Times,
): Promise<void> {
  const began = performance.now();
  const compiled = await masker.compile(schema);
  times.compiled.push(performance.now() - began);
  await walk(compiled, ids, times, times.first);
  times.calls.push(performance.now() - began);
  await walk(compiled, ids, times, times.again);
  compiled.dispose();
}

async function walk(
  compiled: Compiled,
  ids: readonly number[],
  times: Times,
  into: number[],
): Promise<void> {
  const matcher = await compiled.createMatcher();
  // More than needed, because web-xgrammar has no budget.
  let left = 2 * ids.length + 100;
  for (const id of ids) {
    const began = performance.now();
    const mask = await matcher.mask(left--);
    const isAllowed = allows(mask, id) && matcher.accept(id);
    into.push(performance.now() - began);
    if (!isAllowed) times.refused++;
  }
  matcher.dispose();
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] as number;
