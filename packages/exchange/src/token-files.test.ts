import { decode } from "@msgpack/msgpack";
import type { SampledSegment, TrajectoryDetail } from "@waggle/protocol";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { encodePrimeRlSamples } from "./prime-rl.ts";
import { recordOf } from "./record.fixture.ts";
import { toTokenRows } from "./token-rows.ts";
import { encodeVerlParquet } from "./verl.ts";

const task = { environment: "shop", seed: 7, split: "train" } as const;
const record = recordOf({ task, row: { reward: 0.25, success: false } });
const sampled = record.trajectory.segments.filter((segment) => segment.kind === "sampled");

/** The record with a change to its first sampled span. */
function withSpan(change: Partial<SampledSegment>): TrajectoryDetail {
  const segments = record.trajectory.segments.map((segment) =>
    segment.id === "t0" ? ({ ...segment, ...change } as SampledSegment) : segment,
  );
  return { ...record, trajectory: { ...record.trajectory, segments } };
}

test("a row's response begins at the first sampled token, and its mask covers the sampled tokens", () => {
  const [row] = toTokenRows(record);
  expect(row?.tokenIds).toEqual(
    record.trajectory.segments.flatMap(({ tokenIds }) => [...tokenIds]),
  );
  expect(row?.lossMask.indexOf(true)).toBe(row?.promptLength);
  expect(row?.tokenIds.filter((_, t) => row.lossMask[t])).toEqual(
    sampled.flatMap(({ tokenIds }) => [...tokenIds]),
  );
});

test("tokens sampled with restricted support are masked out unless requested", () => {
  const [span] = sampled as [SampledSegment];
  // The grammar forces the first two tokens and allows all others.
  const behaviorLogProbs = span.rawLogProbs.map((raw, t) => (t < 2 ? 0 : raw));
  const narrowed = withSpan({ grammar: "g", tokenBudget: 99, behaviorLogProbs });
  const [row] = toTokenRows(narrowed);
  const [all] = toTokenRows(narrowed, { keepsRestricted: true });
  const start = row?.promptLength ?? 0;
  expect(row?.restrictedTokens).toBe(2);
  expect(row?.lossMask.slice(start, start + 3)).toEqual([false, false, true]);
  expect(all?.lossMask.slice(start, start + 3)).toEqual([true, true, true]);
  // The same values without a grammar come from rounding at the client and are not a restriction.
  expect(toTokenRows(withSpan({ behaviorLogProbs }))[0]?.restrictedTokens).toBe(0);
  // At another temperature, the record does not show how much probability was cut off.
  const sampling = { ...span.sampling, temperature: 0.5, topK: 5 };
  expect(toTokenRows(withSpan({ sampling }))[0]?.restrictedTokens).toBe(span.tokenIds.length);
});

test("verl's Parquet file preserves every column, including branches and missing rewards", async () => {
  const branches = {
    ...record,
    trajectory: {
      ...record.trajectory,
      segments: [
        ...record.trajectory.segments,
        { ...(sampled[1] as SampledSegment), id: "again", policyVersion: 4 },
      ],
    },
    row: { ...record.row, reward: null, success: null, groupId: null },
  };
  const rows = [...toTokenRows(record), ...toTokenRows(branches)];
  const prompt = [{ role: "user", content: "Two mügs?" }] as const;
  const bytes = encodeVerlParquet(
    rows.map((row, i) => ({
      row,
      prompt: i === 0 ? prompt : [],
      advantage: i === 0 ? -0.5 : null,
    })),
  );
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  expect(parquetMetadata(file).row_groups).toHaveLength(1);
  const read = await parquetReadObjects({ file });
  expect(read).toHaveLength(3);
  const [row] = rows as [(typeof rows)[0]];
  const cut = <T>(values: readonly T[]): readonly T[] => values.slice(row.promptLength);
  expect(read[0]).toEqual({
    data_source: "shop",
    prompt,
    ability: "agent",
    reward_model: {
      style: "rule",
      ground_truth: '{"environment":"shop","seed":7,"split":"train"}',
    },
    extra_info: {
      split: "train",
      index: 0,
      trajectory_id: record.trajectory.id,
      digest: record.row.digest,
      base_model: record.trajectory.baseModel,
      stop_reason: "completed",
    },
    uid: record.row.groupId,
    prompt_ids: row.tokenIds.slice(0, row.promptLength),
    response_ids: cut(row.tokenIds),
    response_mask: cut(row.lossMask).map(Number),
    response_logprobs: cut(row.behaviorLogProbs),
    response_raw_logprobs: cut(row.rawLogProbs),
    temperatures: cut(row.temperatures),
    policy_versions: cut(row.policyVersions),
    reward_score: 0.25,
    success: false,
    advantage: -0.5,
    num_turns: 2,
  });
  expect(read[2]).toMatchObject({ uid: record.trajectory.id, reward_score: null, advantage: null });
  // The second branch trains only tokens that the first did not train.
  const [, , second] = rows;
  expect(read[2]?.["response_mask"]).toHaveLength(
    (second?.tokenIds.length ?? 0) - (second?.promptLength ?? 0),
  );
  expect(new Set(second?.policyVersions)).toEqual(new Set([-1, 4]));
});

test("rows beyond the first row group are written", async () => {
  const [row] = toTokenRows(record);
  if (row === undefined) throw new Error("no row");
  const short = { ...row, tokenIds: row.tokenIds.slice(0, 4), promptLength: 4 };
  const bytes = encodeVerlParquet(
    Array.from({ length: 2300 }, (_, i) => ({
      row: {
        ...short,
        lossMask: [],
        behaviorLogProbs: [],
        rawLogProbs: [],
        temperatures: [],
        policyVersions: [],
      },
      prompt: [],
      advantage: i,
    })),
  );
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const read = await parquetReadObjects({ file, columns: ["advantage"] });
  expect(read.map((one) => one["advantage"])).toEqual(Array.from({ length: 2300 }, (_, i) => i));
});

test("prime-rl's samples are arrays in the field order of its struct", () => {
  const rows = toTokenRows(record);
  const [read] = decode(
    encodePrimeRlSamples(rows.map((row) => ({ row, advantage: -0.75 }))),
  ) as unknown[][];
  const [row] = rows as [(typeof rows)[0]];
  expect(read).toHaveLength(13);
  expect(read?.slice(0, 5)).toEqual([
    row.tokenIds,
    row.lossMask,
    row.behaviorLogProbs,
    row.temperatures,
    "shop",
  ]);
  expect(read?.slice(5, 12)).toEqual([null, null, null, null, null, null, null]);
  expect(read?.[12]).toEqual(row.lossMask.map((isTrained) => (isTrained ? -0.75 : 0)));
  expect(() => encodePrimeRlSamples([{ row, advantage: Number.NaN }])).toThrow(
    /advantage of .* is NaN/,
  );
});
