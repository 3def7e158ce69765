/**
 * Causal grouped-query attention on a gradient tape. Queries are cut into blocks. Each block only
 * reads the keys that some query of it attends to, so only part of the T × T scores is computed and
 * kept: 5/8 for a plain sequence in four blocks, less for short sequences that share a row. dS =
 * P∘(dP − rowsum(dO∘O)), as in Dao et al. 2022, FlashAttention, arXiv:2205.14135, appendix B.
 */
import type { QueryBlock } from "../batch/attention-view.ts";
import type { GraphTape } from "./graph-tape.ts";

const MICROSOFT = "com.microsoft";

/**
 * i64 inputs of attention for B sequences of T tokens, with H heads of size D on K key-value heads.
 * The masks `attention.{block}.mask` (see `QueryBlock`) are further inputs.
 */
export function attentionInputs(
  sizes: {
    readonly batch: number;
    readonly length: number;
    readonly heads: number;
    readonly keyValueHeads: number;
    readonly headSize: number;
  },
  blocks: readonly Pick<QueryBlock, "begin" | "end" | "first">[],
): { readonly [name: string]: readonly number[] } {
  const { batch, length, heads, keyValueHeads, headSize } = sizes;
  const entries = blocks.map(({ begin, end, first }, block) => {
    const name = nameIn(block);
    const always = {
      [name("heads")]: [batch, heads, end - begin, headSize],
      [name("scores")]: [batch, heads, end - begin, end - first],
      [name("groupedScores")]: [batch, keyValueHeads, -1, end - first],
    };
    const cut = {
      [name("begin")]: [begin],
      [name("end")]: [end],
      [name("first")]: [first],
      [name("rest")]: [0, 0, first, 0, 0, 0, length - end, 0],
    };
    return blocks.length === 1 ? always : { ...always, ...cut };
  });
  return {
    "attention.grouped": [batch, keyValueHeads, -1, headSize],
    ...Object.assign({}, ...entries),
  } as { readonly [name: string]: readonly number[] };
}

/** Names a block's input. */
export function nameIn(block: number): (part: string) => string {
  return (part) => `attention.${block}.${part}`;
}

type Block = {
  readonly name: (part: string) => string;
  /** `[B, K, G·t, D]`: the queries of one key-value head stacked. */
  readonly queries: string;
  /** `[B, K, end − first, D]` */
  readonly keys: string;
  readonly values: string;
  /** P, `[B, K, G·t, end − first]` */
  readonly weights: string;
  /** O, `[B, K, G·t, D]` */
  readonly output: string;
};

/**
 * @param queries `[B, H, T, D]`
 * @param keys `[B, K, T, D]`, like `values`
 * @returns `[B, H, T, D]`
 */
export function causalAttention(
  tape: GraphTape,
  queries: string,
  keys: string,
  values: string,
  options: { readonly scale: number; readonly blocks: number },
): string {
  const { scale, blocks: count } = options;
  const slice = (input: string, begin: string, end: string): string =>
    count === 1 ? input : tape.op("Slice", [input, begin, end, tape.builder.ints([2])]);
  const rowsOf = (input: string, name: Block["name"]): string =>
    tape.op("Reshape", [slice(input, name("begin"), name("end")), "attention.grouped"]);
  const join = (parts: readonly string[]): string =>
    count === 1 ? (parts[0] as string) : tape.op("Concat", parts, { attributes: { axis: 2 } });

  const blocks = Array.from({ length: count }, (_, index): Block => {
    const name = nameIn(index);
    const taken = {
      queries: rowsOf(queries, name),
      keys: slice(keys, name("first"), name("end")),
      values: slice(values, name("first"), name("end")),
    };
    const scores = product(tape, taken.queries, taken.keys, { transB: 1, alpha: scale });
    const masked = tape.op("Add", [tape.op("Reshape", [scores, name("scores")]), name("mask")]);
    const softmax = tape.op("Softmax", [masked], { attributes: { axis: -1 } });
    const weights = tape.op("Reshape", [softmax, name("groupedScores")]);
    return { name, ...taken, weights, output: product(tape, weights, taken.values, {}) };
  });
  const output = join(
    blocks.map((block) => tape.op("Reshape", [block.output, block.name("heads")])),
  );
  tape.record(output, [queries, keys, values], (gradient) => {
    const parts = blocks.map((block) => {
      const rows = rowsOf(gradient, block.name);
      return { block, rows, scores: scoreGradient(tape, block, rows) };
    });
    const whole = (input: string, { name }: Block): string =>
      count === 1 ? input : tape.op("Pad", [input, name("rest")]);
    tape.add(queries, () =>
      join(
        parts.map(({ block, scores }) => {
          const grouped = product(tape, scores, block.keys, { alpha: scale });
          return tape.op("Reshape", [grouped, block.name("heads")]);
        }),
      ),
    );
    tape.add(keys, () =>
      tape.sum(
        parts.map(({ block, scores }) =>
          whole(product(tape, scores, block.queries, { transA: 1, alpha: scale }), block),
        ),
      ),
    );
    tape.add(values, () =>
      tape.sum(
        parts.map(({ block, rows }) =>
          whole(product(tape, block.weights, rows, { transA: 1 }), block),
        ),
      ),
    );
  });
  return output;
}

/** dS of a block from dO `[B, K, G·t, D]`. */
function scoreGradient(tape: GraphTape, block: Block, gradient: string): string {
  const weightGradient = product(tape, gradient, block.values, { transB: 1 });
  const overlap = tape.op("ReduceSum", [
    tape.op("Mul", [gradient, block.output]),
    tape.builder.ints([-1]),
  ]);
  return tape.op("Mul", [block.weights, tape.op("Sub", [weightGradient, overlap])]);
}

/**
 * alpha · left · right of `[B, K, rows, columns]`. Alpha scales `right`, which is smaller than the
 * scores.
 */
function product(
  tape: GraphTape,
  left: string,
  right: string,
  flags: { readonly transA?: 1; readonly transB?: 1; readonly alpha?: number },
): string {
  if (!tape.hasAllKernels) {
    const turned = (value: string, flag: 1 | undefined): string =>
      flag === undefined
        ? value
        : tape.op("Transpose", [value], { attributes: { perm: { ints: [0, 1, 3, 2] } } });
    const factor =
      flags.alpha === undefined ? right : tape.op("Mul", [right, tape.builder.float(flags.alpha)]);
    return tape.op("MatMul", [turned(left, flags.transA), turned(factor, flags.transB)]);
  }
  return tape.op("FusedMatMul", [left, right], {
    domain: MICROSOFT,
    attributes: {
      transA: flags.transA ?? 0,
      transB: flags.transB ?? 0,
      alpha: { float: flags.alpha ?? 1 },
    },
  });
}
