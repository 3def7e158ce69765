/**
 * Cases in which a backend must match the plain decoder. Each drives one backend and returns the
 * largest difference; its caller decides on the tolerance. Used by the test suite
 * (`backend-agreement.contract.ts`) and on a visitor's device (`self-check.ts`).
 */
import { mergeAdapter } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import type { DecoderBackend, DecoderCache, DecoderSession } from "../backend/decoder-backend.ts";
import type { SamplingDistribution } from "../sampler.ts";
import { Deviation, ForcedSequence, Reference } from "./forced-sequence.ts";
import type { Asked } from "./forced-sequence.ts";
import { randomAdapter, randomTokenIds } from "./random-decoder.ts";

/** The backend under test, and limits for a case. */
type AgreementSubject = {
  readonly backend: DecoderBackend;
  readonly config: DecoderConfig;
  /** The weights that the backend computes with, dequantized if they are quantized. */
  readonly weights: TensorMap;
  /** Lengths of prefills. With the tokens that follow they must fit into the context. */
  readonly prefillLengths: readonly number[];
  /** Maximum rows per run to try, besides the session's own limit. */
  readonly maxRows: number;
};

/** A title and a run that returns the largest difference. */
export type AgreementCase = {
  readonly title: string;
  readonly run: (subject: AgreementSubject) => Promise<Deviation>;
};

const WARM: SamplingDistribution = { temperature: 0.9, topK: 0, topP: 1 };
const SCORE: Asked = { kind: "score", distribution: WARM };
const READ: Asked = { kind: "none" };
const draw = (uniform: number): Asked => ({ kind: "sample", distribution: WARM, uniform });
/** A pseudo-random number in [0, 1). */
const uniformAt = (index: number): number => (0.5 + index * 0.618_034) % 1;

export const AGREEMENT_CASES: readonly AgreementCase[] = [
  {
    title: "prefills of many lengths, each followed by decoding steps",
    run: (subject) =>
      inSession(subject, null, async (session, deviation) => {
        const longest = Math.max(...subject.prefillLengths);
        const reference = referenceOf(subject, longest + 3, 1);
        for (const length of subject.prefillLengths) {
          // Scoring and sampling may use different kernels, so both read prompts of every length.
          await withSequence(session, reference, deviation, `prefill ${length}`, async (row) => {
            await row.read(session, length, length % 2 === 0 ? SCORE : draw(uniformAt(length)));
            await row.read(session, 1, SCORE);
            await row.read(session, 1, draw(uniformAt(length + 1)));
          });
        }
      }),
  },
  {
    title: "rows of different lengths side by side, as some of them leave",
    run: (subject) =>
      inSession(subject, null, async (session, deviation) => {
        const most = Math.min(subject.maxRows, session.maxRows);
        for (let count = 1; count <= most; count++) {
          const rows: ForcedSequence[] = [];
          for (let row = 0; row < count; row++) {
            const reference = referenceOf(subject, 40, 10 + row);
            const cache = await session.createCache();
            rows.push(new ForcedSequence(cache, reference, deviation, `row ${row} of ${count}`));
          }
          const prompts = rows.map((_, row) =>
            Math.min(session.maxRunTokens, 1 + ((row * 5) % 18)),
          );
          await step(session, rows, (row) => rows[row]?.row(prompts[row] as number, SCORE));
          for (let token = 0; token < 3; token++) await decode(session, rows, token);
          const staying = rows.filter((_, row) => row % 2 === 0);
          for (let token = 0; token < 2; token++) await decode(session, staying, token);
          await decode(session, rows.toReversed(), 7);
          for (const { cache } of rows) cache.dispose();
        }
      }),
  },
  {
    title: "forks, which change neither their origin nor each other",
    run: (subject) =>
      inSession(subject, null, async (session, deviation) => {
        for (const length of [1, 17, 33]) {
          const trunk = await prefilled(subject, session, deviation, length, `trunk ${length}`);
          const branches: ForcedSequence[] = [];
          for (const [index, at] of [length, length, Math.ceil(length / 2)].entries()) {
            branches.push(await branch(subject, session, deviation, trunk, at, 20 + index));
          }
          for (let token = 0; token < 3; token++) {
            for (const row of branches) await row.read(session, 1, token === 1 ? SCORE : draw(0.3));
            await trunk.read(session, 1, SCORE);
          }
          trunk.cache.dispose();
          const [first] = branches;
          const late = await branch(subject, session, deviation, first, length + 1, 30);
          for (const row of [...branches, late]) await row.read(session, 2, SCORE);
          for (const row of [...branches, late]) row.cache.dispose();
        }
      }),
  },
  {
    title: "a group that continues one prefix side by side",
    run: (subject) =>
      inSession(subject, null, async (session, deviation) => {
        const longest = Math.max(...subject.prefillLengths);
        for (const length of [21, 140].filter((n) => n <= Math.max(21, longest))) {
          await groupOf(subject, session, deviation, length);
        }
      }),
  },
  {
    title: "truncated caches, which continue with other tokens",
    run: (subject) =>
      inSession(subject, null, async (session, deviation) => {
        for (const keep of [0, 1, 13, 32]) {
          const row = await prefilled(subject, session, deviation, 34, `before truncation`);
          row.cache.truncate(keep);
          const kept = row.cache.length; // may be 0 where a layer's state cannot go back
          const ids = [...sequence(subject, 40, 1).slice(0, kept), ...sequence(subject, 9, 50)];
          const other = new Reference(subject.config, subject.weights, ids);
          const again = new ForcedSequence(row.cache, other, deviation, `kept ${kept}`, kept);
          await again.read(session, 5, SCORE);
          await again.read(session, 1, draw(0.8));
          row.cache.dispose();
        }
      }),
  },
  { title: "adapters swapped in and out, at several scales", run: swapsAdapters },
  {
    title: "masks, top-k, top-p and temperatures",
    run: (subject) =>
      inSession(subject, null, async (session, deviation) => {
        const row = await prefilled(subject, session, deviation, 8, "cut distributions");
        let index = 0;
        for (const temperature of [0.5, 1, 1.7]) {
          for (const [topK, topP] of [
            [0, 1],
            [5, 1],
            [0, 0.7],
            [12, 0.6],
          ] as const) {
            for (const mask of [undefined, everyThird(subject.config.vocabularySize)]) {
              await row.read(session, 1, {
                kind: "sample",
                distribution: { temperature, topK, topP },
                uniform: uniformAt(index++),
                ...(mask && { allowed: mask }),
              });
            }
          }
        }
        row.cache.dispose();
      }),
  },
  {
    title: "sampled tokens, scored again",
    run: (subject) =>
      inSession(subject, null, async (session, deviation) => {
        const tokenIds = [...sequence(subject, 6, 60)];
        for (let token = 0; token < 10; token++) {
          // Reads everything anew, so that the sampled token is compared with logits of its own
          // prefill.
          const reference = new Reference(subject.config, subject.weights, tokenIds);
          await withSequence(session, reference, deviation, "own tokens", async (row) => {
            const asked = draw(uniformAt(token));
            if (tokenIds.length > 1) await row.read(session, tokenIds.length - 1, SCORE);
            tokenIds.push((await row.read(session, 1, asked)) ?? 0);
          });
        }
      }),
  },
];

async function swapsAdapters(subject: AgreementSubject): Promise<Deviation> {
  const { backend, config, weights } = subject;
  const deviation = new Deviation();
  const [first, second] = [randomAdapter(config, 4, 1), randomAdapter(config, 8, 2)];
  const variants: readonly (readonly [Adapter | null, number])[] = [
    [null, 1],
    [first, 1],
    [second, 1],
    [first, 0.5],
    [first, 0],
    [first, -1],
  ];
  const open: { session: DecoderSession; row: ForcedSequence }[] = [];
  const start = async ([adapter, scale]: (typeof variants)[number]): Promise<void> => {
    const session = await backend.open(adapter, scale);
    const scaled = adapter && { ...adapter, alpha: adapter.alpha * scale };
    const merged = scaled === null ? weights : mergeAdapter(config, weights, scaled);
    const reference = new Reference(config, merged, sequence(subject, 40, 70));
    const cache = await session.createCache();
    const label = `${adapter === null ? "no adapter" : `rank ${adapter.rank}`} at ${scale}`;
    open.push({ session, row: new ForcedSequence(cache, reference, deviation, label) });
  };
  for (const variant of variants) await start(variant);
  for (const { session, row } of open) await row.read(session, 11, SCORE);
  for (let token = 0; token < 3; token++) {
    for (const { session, row } of open) await row.read(session, 1, draw(uniformAt(token)));
  }
  // One row is removed and another added while the rest continue.
  const [, left] = open.splice(0, 2);
  left?.row.cache.dispose();
  await left?.session.release();
  await start([second, 0.25]);
  for (const { session, row } of open) await row.read(session, 3, SCORE);
  for (const { session, row } of open) {
    row.cache.dispose();
    await session.release();
  }
  return deviation;
}

async function inSession(
  { backend }: AgreementSubject,
  adapter: Adapter | null,
  body: (session: DecoderSession, deviation: Deviation) => Promise<void>,
): Promise<Deviation> {
  const deviation = new Deviation();
  const session = await backend.open(adapter);
  try {
    await body(session, deviation);
  } finally {
    await session.release();
  }
  return deviation;
}

function sequence({ config }: AgreementSubject, length: number, seed: number): number[] {
  return randomTokenIds(config.vocabularySize, length, seed);
}

function referenceOf(subject: AgreementSubject, length: number, seed: number): Reference {
  return new Reference(subject.config, subject.weights, sequence(subject, length, seed));
}

async function withSequence(
  session: DecoderSession,
  reference: Reference,
  deviation: Deviation,
  label: string,
  body: (row: ForcedSequence) => Promise<void>,
): Promise<void> {
  const row = new ForcedSequence(await session.createCache(), reference, deviation, label);
  await body(row);
  row.cache.dispose();
}

/** A row of the sequence of seed 1 that has read `length` tokens. */
async function prefilled(
  subject: AgreementSubject,
  session: DecoderSession,
  deviation: Deviation,
  length: number,
  label: string,
): Promise<ForcedSequence> {
  const reference = referenceOf(subject, length + 30, 1);
  const row = new ForcedSequence(await session.createCache(), reference, deviation, label);
  await row.read(session, length, READ);
  return row;
}

/** Branches of one prefix step together; then one reads more, one is forked, and all step again. */
async function groupOf(
  subject: AgreementSubject,
  session: DecoderSession,
  deviation: Deviation,
  length: number,
): Promise<void> {
  const trunk = await prefilled(subject, session, deviation, length, `prefix ${length}`);
  const rows: ForcedSequence[] = [];
  for (let row = 0; row < Math.min(subject.maxRows, session.maxRows); row++) {
    rows.push(await branch(subject, session, deviation, trunk, length, 40 + row));
  }
  for (let token = 0; token < 4; token++) await decode(session, rows, token);
  const [first, ...others] = rows;
  await first?.read(session, 3, SCORE);
  const late = await branch(subject, session, deviation, others[0] ?? first, length + 2, 60);
  for (let token = 4; token < 6; token++) await decode(session, [...others, late], token);
  for (const { cache } of [trunk, ...rows, late]) cache.dispose();
}

/** A fork of `from` that continues with other tokens. */
async function branch(
  subject: AgreementSubject,
  session: DecoderSession,
  deviation: Deviation,
  from: ForcedSequence | undefined,
  at: number,
  seed: number,
): Promise<ForcedSequence> {
  if (from === undefined) throw new Error("a branch needs a trunk");
  const cache: DecoderCache = await session.fork(from.cache, at);
  const ids = [...from.tokenIds.slice(0, cache.length), ...sequence(subject, 12, seed)];
  const reference = new Reference(subject.config, subject.weights, ids);
  return new ForcedSequence(cache, reference, deviation, `branch ${seed} at ${at}`, cache.length);
}

/** One decoding step of all rows; every second one samples. */
async function decode(
  session: DecoderSession,
  rows: readonly ForcedSequence[],
  token: number,
): Promise<void> {
  await step(session, rows, (row) =>
    rows[row]?.row(1, (row + token) % 2 === 0 ? SCORE : draw(uniformAt(row + token))),
  );
}

async function step(
  session: DecoderSession,
  rows: readonly ForcedSequence[],
  rowAt: (index: number) => ReturnType<ForcedSequence["row"]> | undefined,
): Promise<void> {
  const asked = rows.flatMap((_, index) => rowAt(index) ?? []);
  const results = await session.run(asked);
  for (const [index, row] of rows.entries()) row.check(results[index]);
}

function everyThird(vocabularySize: number): Uint32Array {
  const mask = new Uint32Array(Math.ceil(vocabularySize / 32));
  for (let id = 1; id < vocabularySize; id += 3) {
    mask[id >> 5] = (mask[id >> 5] as number) | (1 << (id % 32));
  }
  return mask;
}
