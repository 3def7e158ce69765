/**
 * Reads exported files into plain arrays, by the formats' specifications and without the exporters'
 * code. Tests only.
 */
import { decode } from "@msgpack/msgpack";
import { readAtifDocument } from "@waggle/testing";
import { parquetReadObjects } from "hyparquet";

/** One training sequence; all arrays `[T]`. */
export type ArrayRow = {
  readonly ids: readonly number[];
  readonly mask: readonly boolean[];
  readonly behavior: readonly number[];
  readonly advantage: readonly number[];
};

type VerlFileRow = {
  readonly uid: string;
  readonly reward_score: number;
  readonly prompt_ids: readonly number[];
  readonly response_ids: readonly number[];
  readonly response_mask: readonly number[];
  readonly response_logprobs: readonly number[];
};

/** The rows of the Parquet file, with advantages computed from the rewards of each `uid`. */
export async function readVerlRows(bytes: Uint8Array, isScaled: boolean): Promise<ArrayRow[]> {
  const rows = (await parquetReadObjects({ file: bytes.slice().buffer })) as VerlFileRow[];
  const advantages = groupAdvantages(
    rows.map(({ uid, reward_score }) => ({ group: uid, reward: reward_score })),
    isScaled,
  );
  return rows.map((row, i) => {
    const before = row.prompt_ids.map(() => 0);
    const ids = [...row.prompt_ids, ...row.response_ids];
    return {
      ids,
      mask: [...before, ...row.response_mask].map((one) => one === 1),
      behavior: [...before, ...row.response_logprobs],
      advantage: ids.map(() => advantages[i] as number),
    };
  });
}

/** The samples; the file contains their advantages. */
export function readPrimeRlRows(bytes: Uint8Array): ArrayRow[] {
  return (decode(bytes) as unknown[][]).map((row) => ({
    ids: row[0] as number[],
    mask: row[1] as boolean[],
    behavior: row[2] as number[],
    advantage: row[12] as number[],
  }));
}

/** Documents by the specification; groups and rewards are in our `extra`. */
export function readAtifRows(documents: readonly unknown[], isScaled: boolean): ArrayRow[] {
  const read = documents.map(readAtifDocument);
  const advantages = groupAdvantages(
    read.map(({ extra }) => ({ group: String(extra["group"]), reward: Number(extra["reward"]) })),
    isScaled,
  );
  return read.flatMap(({ tokens }, i) =>
    tokens.map(({ tokenIds, isSampled, logProbs }) => ({
      ids: tokenIds,
      mask: isSampled,
      behavior: logProbs,
      advantage: tokenIds.map(() => advantages[i] as number),
    })),
  );
}

function groupAdvantages(
  rows: readonly { readonly group: string; readonly reward: number }[],
  isScaled: boolean,
): number[] {
  return rows.map(({ group, reward }) => {
    const rewards = rows.filter((row) => row.group === group).map((other) => other.reward);
    const center = mean(rewards);
    const variance = mean(rewards.map((other) => (other - center) ** 2));
    return (reward - center) / (isScaled ? Math.sqrt(variance) + 1e-6 : 1);
  });
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
