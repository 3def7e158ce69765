/**
 * prime-rl's training samples: `list[TrainingSample]` as msgpack, readable with
 * `msgspec.msgpack.Decoder(list[TrainingSample])`. That trainer does not compute advantages, so they are
 * passed in.
 *
 * Source: PrimeIntellect-ai/prime-rl, `src/prime_rl/transports/rollouts/types.py` at 559b447. Differs: a
 * sample has no fields for reward, group and version; the Parquet file of `verl.ts` does.
 */
import { encode } from "@msgpack/msgpack";
import { WaggleError } from "@waggle/protocol";
import type { TokenRow } from "./token-rows.ts";

/** A row with its advantage. */
export type PrimeRlSample = {
  readonly row: TokenRow;
  /** Advantage of the whole trajectory, given to every trained token. */
  readonly advantage: number;
};

/**
 * Encodes samples as arrays in the order of the struct's fields (it is `array_like`): token_ids, mask,
 * logprobs, temperatures, env_name, ref_logprobs, mm_kwargs, routed_experts, mm_token_type_ids, rl_weights,
 * ce_weights, ref_kl_weights, advantages.
 *
 * @throws WaggleError `NON_FINITE_VALUE` for an advantage that is not finite.
 */
export function encodePrimeRlSamples(samples: readonly PrimeRlSample[]): Uint8Array {
  return encode(
    samples.map(({ row, advantage }) => {
      if (!Number.isFinite(advantage)) {
        throw new WaggleError(
          "NON_FINITE_VALUE",
          `the advantage of ${row.record.row.digest} is ${advantage}; it must be finite (drop the group or check its rewards)`,
        );
      }
      return [
        row.tokenIds,
        row.lossMask,
        row.behaviorLogProbs,
        row.temperatures,
        row.record.trajectory.task?.environment ?? "live",
        ...ABSENT,
        row.lossMask.map((isTrained) => (isTrained ? advantage : 0)),
      ];
    }),
  );
}

/** The optional fields between `env_name` and `advantages`. */
const ABSENT = [null, null, null, null, null, null, null] as const;
