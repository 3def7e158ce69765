/**
 * How per-token terms become one number: each loss token's share of the sum. Shares are computed once, from
 * the mask of the whole minibatch, so the losses of its microbatches add up to the loss of the minibatch. The
 * mask is the one before any rejection, so rejected tokens stay in the denominators.
 *
 * Sources: `token-mean`, Yu et al. 2025, "DAPO", arXiv:2503.14476, section 3.3; `seq-mean-token-mean`, Shao
 * et al. 2024, "DeepSeekMath", arXiv:2402.03300, equation 3; `seq-mean-token-sum-norm`, Liu et al. 2025, "Dr.
 * GRPO", arXiv:2503.20783, section 3.2. `prompt-mean` and `per-rollout-mean` follow SkyRL and Agent
 * Lightning.
 */
import { WaggleError } from "@waggle/protocol";
import { type LossMask, lossTokenCount, requireRows, type TokenRows } from "../token-rows.ts";

/** How token terms are averaged. B counts sequences. */
export type Aggregation =
  /** Equal share for every token: 1 / tokens. */
  | { readonly kind: "token-mean" }
  /** Sum over a sequence, mean over sequences: 1 / B. */
  | { readonly kind: "seq-mean-token-sum" }
  /** Mean over a sequence, mean over sequences: 1 / (B · tokens of the sequence). */
  | { readonly kind: "seq-mean-token-mean" }
  /** 1 / (B · maxLength), with a constant length in tokens, not the longest of the batch. */
  | { readonly kind: "seq-mean-token-sum-norm"; readonly maxLength: number }
  /** Mean over the tokens of a prompt's rollouts, mean over prompts. Needs `prompts`. */
  | { readonly kind: "prompt-mean" }
  /** Mean over the tokens of all rows of a rollout, mean over rollouts. Needs `rollouts`. */
  | { readonly kind: "per-rollout-mean" };

/** The rows of a whole minibatch. B counts the sequences that have a loss token. */
export type AggregatedRows = {
  readonly lossMask: LossMask;
  /** `[B]` the task of each sequence. */
  readonly prompts?: readonly (string | number)[] | undefined;
  /** `[B]` the trajectory of each sequence. */
  readonly rollouts?: readonly (string | number)[] | undefined;
};

/** The denominator of a loss. Default: the token mean of the given mask. */
export type AggregationOption = {
  /**
   * Loss tokens of the whole minibatch, not of this microbatch; metrics are means over them. Default: the
   * count of the given mask, which is right only if the minibatch is not split.
   */
  readonly tokenCount?: number | undefined;
  /** `[B][T]` from `tokenShares`, this microbatch's slice. Default: 1 / tokenCount everywhere. */
  readonly shares?: TokenRows | undefined;
};

/**
 * `[B][T]` shares of the loss tokens of a minibatch, 0 outside the mask.
 *
 * @throws WaggleError `SHAPE_MISMATCH` if the kind needs ids and they are missing, `INVALID_ARGUMENT` if
 *   `maxLength` is not positive.
 */
export function tokenShares(aggregation: Aggregation, rows: AggregatedRows): Float64Array[] {
  const counts = rows.lossMask.map((row) => row.filter(Boolean).length);
  const rowShare = rowShares(aggregation, rows, counts);
  return rows.lossMask.map((row, b) =>
    Float64Array.from(row, (kept) => (kept ? (rowShare[b] ?? 0) : 0)),
  );
}

/** The shares that a loss uses, and 1 / the token count that its metrics divide by. */
export function resolvedShares(
  lossMask: LossMask,
  options: AggregationOption,
): { readonly shares: TokenRows; readonly perToken: number } {
  const perToken = perTokenShare(lossMask, options.tokenCount);
  if (options.shares === undefined) {
    return { shares: lossMask.map((row) => new Float64Array(row.length).fill(perToken)), perToken };
  }
  requireRows(lossMask, { shares: options.shares });
  return { shares: options.shares, perToken };
}

/** `[B]` sum of the shares of a sequence's loss tokens: the share of a per-sequence term. */
export function sequenceShares(lossMask: LossMask, shares: TokenRows): Float64Array {
  return Float64Array.from(lossMask, (row, b) =>
    row.reduce((sum, kept, t) => sum + (kept ? (shares[b]?.[t] ?? 0) : 0), 0),
  );
}

/** The share of each row; all tokens of a row have the same one. */
function rowShares(
  aggregation: Aggregation,
  { lossMask, prompts, rollouts }: AggregatedRows,
  counts: readonly number[],
): number[] {
  const sequences = counts.filter((count) => count > 0).length;
  switch (aggregation.kind) {
    case "token-mean": {
      const share = perTokenShare(lossMask, undefined);
      return counts.map(() => share);
    }
    case "seq-mean-token-sum":
      return counts.map(() => 1 / sequences);
    case "seq-mean-token-mean":
      return counts.map((count) => 1 / (sequences * count));
    case "seq-mean-token-sum-norm": {
      if (!(aggregation.maxLength > 0)) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `maxLength must be a positive number of tokens, got ${aggregation.maxLength}; pass the token limit of a rollout`,
        );
      }
      return counts.map(() => 1 / (sequences * aggregation.maxLength));
    }
    case "prompt-mean":
      return sharesByKey("prompts", prompts, counts);
    case "per-rollout-mean":
      return sharesByKey("rollouts", rollouts, counts);
  }
}

/** 1 / (keys · tokens of the key); keys without a loss token do not count. */
function sharesByKey(
  name: string,
  keys: readonly (string | number)[] | undefined,
  counts: readonly number[],
): number[] {
  if (keys?.length !== counts.length) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `${name} has ${keys?.length ?? "no"} ids for ${counts.length} sequences; pass one id per sequence, or choose another aggregation`,
    );
  }
  const tokens = new Map<string | number, number>();
  for (const [b, key] of keys.entries()) {
    tokens.set(key, (tokens.get(key) ?? 0) + (counts[b] as number));
  }
  const present = [...tokens.values()].filter((count) => count > 0).length;
  return keys.map((key) => 1 / (present * (tokens.get(key) as number)));
}

/** 1 / the count; 0 for a minibatch without loss tokens, whose loss and gradient are 0. */
function perTokenShare(lossMask: LossMask, tokenCount: number | undefined): number {
  const kept = lossTokenCount(lossMask);
  const count = tokenCount ?? kept;
  if (!Number.isInteger(count) || count < kept) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `tokenCount must be an integer of at least ${kept} (tokens under the mask), got ${count}; pass the count of the whole minibatch`,
    );
  }
  return count === 0 ? 0 : 1 / count;
}
