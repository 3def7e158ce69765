/**
 * Compares two loops on a machine whose speed changes during measurement. They take turns in short
 * blocks A B B A, so that a slow moment or a drift affects both sides of a pair. The ratio is the
 * median over many pairs, which single interrupted blocks do not change.
 */

/** Times of two sides, in milliseconds per token, and their ratio. */
export type Comparison = {
  /** Medians. */
  readonly first: number;
  readonly second: number;
  /** Median of the pairs' first / second. */
  readonly ratio: number;
  /**
   * 95 % interval of that median by ranks, counting the pairs of one round as a single measurement,
   * because neighboring pairs share slow moments.
   */
  readonly interval: readonly [number, number];
  readonly pairs: number;
};

/** Milliseconds of the blocks of one pair: A, B, B, A. */
export type PairedBlocks = readonly [number, number, number, number];

export class PairedRatios {
  readonly #tokensPerBlock: number;
  readonly #first: number[] = [];
  readonly #second: number[] = [];
  readonly #ratios: number[] = [];
  readonly #rounds: number[] = [];

  constructor(tokensPerBlock: number) {
    this.#tokensPerBlock = tokensPerBlock;
  }

  /** @param round - pairs measured one after the other. */
  addRound(round: readonly PairedBlocks[]): void {
    const ratios = round.map(([a, b, again, last]) => (a + last) / (b + again));
    this.#ratios.push(...ratios);
    this.#rounds.push(medianOf(ratios));
    for (const [a, b, again, last] of round) {
      this.#first.push((a + last) / (2 * this.#tokensPerBlock));
      this.#second.push((b + again) / (2 * this.#tokensPerBlock));
    }
  }

  /** Half the width of the interval; infinite with too few rounds. */
  get uncertainty(): number {
    const [low, high] = this.#interval();
    return (high - low) / 2;
  }

  comparison(): Comparison {
    return {
      first: medianOf(this.#first),
      second: medianOf(this.#second),
      ratio: medianOf(this.#ratios),
      interval: this.#interval(),
      pairs: this.#ratios.length,
    };
  }

  /** Source: the distribution-free interval of a median, ranks n/2 ± 0.98 √n. */
  #interval(): [number, number] {
    const sorted = this.#rounds.toSorted((a, b) => a - b);
    const reach = 0.98 * Math.sqrt(sorted.length);
    const low = Math.floor(sorted.length / 2 - reach);
    const high = Math.ceil(sorted.length / 2 + reach) - 1;
    return [sorted[low] ?? Number.NEGATIVE_INFINITY, sorted[high] ?? Number.POSITIVE_INFINITY];
  }
}

export type RoundLimits = {
  /** Untimed rounds at the start, so that code is compiled and memory has grown as in a used page. */
  readonly warmUp: number;
  readonly least: number;
  readonly most: number;
  /** Rounds end early once the ratio is known to this precision. */
  readonly uncertainty: number;
};

/**
 * Measures rounds until the ratio is precise enough.
 *
 * @param round - measures the pairs of one generation.
 */
export async function compareRounds(
  { warmUp, least, most, uncertainty }: RoundLimits,
  tokensPerBlock: number,
  round: () => Promise<readonly PairedBlocks[]>,
): Promise<Comparison> {
  const ratios = new PairedRatios(tokensPerBlock);
  for (let count = -warmUp; count < most; count++) {
    const pairs = await round();
    if (count < 0) continue;
    ratios.addRound(pairs);
    if (count + 1 >= least && ratios.uncertainty <= uncertainty) break;
  }
  return ratios.comparison();
}

/** Compares measurements that were taken in turns, one of each side at a time. */
export function interleavedPairs(first: readonly number[], second: readonly number[]): Comparison {
  const ratios = new PairedRatios(1);
  for (const [index, a] of first.entries()) {
    const b = second[index] as number;
    ratios.addRound([[a, b, b, a]]);
  }
  return ratios.comparison();
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const above = sorted[middle] as number;
  return sorted.length % 2 === 1 ? above : ((sorted[middle - 1] as number) + above) / 2;
}
