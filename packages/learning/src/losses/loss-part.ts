/** Constructors of loss parts, and access to the rows that resources and engines provide. */
import { type TokenDerivatives, WaggleError } from "@waggle/protocol";
import type {
  LossPart,
  Minibatch,
  PairLoss,
  PartContext,
  RewardModelLoss,
} from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import type { LossResult } from "../loss.ts";
import type { TokenRows } from "../token-rows.ts";

type LossPartOptions<N extends StateName> = {
  readonly needs?: readonly N[];
  readonly around?: LossPart<StateName>["around"];
  readonly corrects?: true | undefined;
  /** Derivatives in its result. Default `logProb`. */
  readonly derivatives?: readonly (keyof TokenDerivatives)[];
};

/** A named loss part. */
export function lossPart<N extends StateName = never>(
  part: string,
  compute: (minibatch: Minibatch, context: PartContext) => LossResult,
  { needs = [], around, corrects, derivatives = ["logProb"] }: LossPartOptions<N> = {},
): LossPart<N> {
  return {
    slot: "loss",
    part,
    needs,
    derivatives,
    compute,
    ...(corrects === undefined ? {} : { corrects }),
    ...(around === undefined ? {} : { around }),
  };
}

/** A named loss part that needs pairs. */
export function pairLoss<N extends StateName = never>(
  ...given: Parameters<typeof lossPart<N>>
): PairLoss<N> {
  return { ...lossPart(...given), reads: "pairs" };
}

/** Returns rows that a resource or an engine provides. @throws WaggleError `CAPABILITY_MISSING` if absent. */
export function present(rows: TokenRows | undefined, part: string, what: string): TokenRows {
  if (rows === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `loss ${part} needs ${what}; choose an engine that provides this, or another recipe`,
    );
  }
  return rows;
}

/** The minibatch with its token weights multiplied by `weights`. */
export function withTokenWeights(minibatch: Minibatch, weights: TokenRows): Minibatch {
  return {
    ...minibatch,
    weights: minibatch.weights.map((row, b) =>
      Float64Array.from(row, (weight, t) => weight * (weights[b]?.[t] ?? 0)),
    ),
  };
}

/** A named loss part that trains a reward model through its values. */
export function rewardModelLoss(
  part: string,
  compute: Parameters<typeof lossPart>[1],
): RewardModelLoss<"rm"> {
  const options = { needs: ["rm"], derivatives: ["values"] } as const;
  const plain: Omit<LossPart<"rm">, "of"> = lossPart(part, compute, options);
  return { ...plain, of: "rm" };
}
