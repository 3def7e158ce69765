/**
 * verl's Parquet: one row per training sequence, with the columns of verl's datasets (`data_source`,
 * `prompt`, `ability`, `reward_model`, `extra_info`) and the fields that verl's agent loop produces for a
 * rollout (`prompt_ids`, `response_ids`, `response_mask`, `response_logprobs`, `reward_score`, `num_turns`;
 * `uid` is the group). verl has no file format for finished rollouts; the names are those of its classes.
 *
 * Source: verl 0.8.0.dev at b178a3c, `docs/preparation/prepare_data.rst`, `AgentLoopOutput` in
 * `verl/experimental/agent_loop/agent_loop.py`.
 */
import { canonicalJson } from "@waggle/protocol";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { ChatMessage } from "./chat-messages.ts";
import type { TokenRow } from "./token-rows.ts";

/** A token row with its prompt as text and its advantage. */
export type VerlRow = {
  readonly row: TokenRow;
  /** System message and first request; empty if the prompt could not be recovered. */
  readonly prompt: readonly ChatMessage[];
  /** Computed from the group's rewards; `null` if there are no rewards to compare with. */
  readonly advantage: number | null;
};

/** A Parquet schema element, as in the format's Thrift definition. */
type Element = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];

type Column = {
  readonly name: string;
  readonly elements: readonly Element[];
  readonly value: (row: VerlRow) => unknown;
};

const text = { type: "BYTE_ARRAY", converted_type: "UTF8" } as const;
const required = { repetition_type: "REQUIRED" } as const;

function scalar(
  name: string,
  type: Pick<Element, "type" | "converted_type">,
  value: Column["value"],
  isNullable = false,
): Column {
  const repetition = isNullable ? ({ repetition_type: "OPTIONAL" } as const) : required;
  return { name, elements: [{ name, ...type, ...repetition }], value };
}

/** Parquet's three-level list. */
function list(name: string, element: readonly Element[], value: Column["value"]): Column {
  return {
    name,
    elements: [
      { name, num_children: 1, converted_type: "LIST", ...required },
      { name: "list", num_children: 1, repetition_type: "REPEATED" },
      ...element,
    ],
    value,
  };
}

function struct(name: string, fields: readonly Element[]): Element[] {
  return [{ name, num_children: fields.length, ...required }, ...fields];
}

const field = (name: string, type: Pick<Element, "type" | "converted_type">): Element => ({
  name,
  ...type,
  ...required,
});
const numbers = (name: string, type: "INT32" | "DOUBLE", of: (row: TokenRow) => unknown): Column =>
  list(name, [field("element", { type })], ({ row }) => of(row));
const response = (row: TokenRow, values: readonly number[]): readonly number[] =>
  values.slice(row.promptLength);

const COLUMNS: readonly Column[] = [
  scalar("data_source", text, ({ row }) => row.record.trajectory.task?.environment ?? "live"),
  list("prompt", struct("element", [field("role", text), field("content", text)]), ({ prompt }) =>
    prompt.map(({ role, content }) => ({ role, content })),
  ),
  scalar("ability", text, () => "agent"),
  {
    name: "reward_model",
    elements: struct("reward_model", [field("style", text), field("ground_truth", text)]),
    // Our verifier needs only the task to judge again.
    value: ({ row }) => ({
      style: "rule",
      ground_truth: canonicalJson(row.record.trajectory.task),
    }),
  },
  {
    name: "extra_info",
    elements: struct("extra_info", [
      field("split", text),
      field("index", { type: "INT32" }),
      field("trajectory_id", text),
      field("digest", text),
      field("base_model", text),
      field("stop_reason", text),
    ]),
    value: ({ row: { record, index } }) => ({
      split: record.trajectory.task?.split ?? "train",
      index,
      trajectory_id: record.trajectory.id,
      digest: record.row.digest,
      base_model: record.trajectory.baseModel,
      stop_reason: record.trajectory.stopReason,
    }),
  },
  scalar("uid", text, ({ row }) => row.record.row.groupId ?? row.record.trajectory.id),
  numbers("prompt_ids", "INT32", (row) => row.tokenIds.slice(0, row.promptLength)),
  numbers("response_ids", "INT32", (row) => response(row, row.tokenIds)),
  numbers("response_mask", "INT32", (row) => response(row, row.lossMask.map(Number))),
  numbers("response_logprobs", "DOUBLE", (row) => response(row, row.behaviorLogProbs)),
  numbers("response_raw_logprobs", "DOUBLE", (row) => response(row, row.rawLogProbs)),
  numbers("temperatures", "DOUBLE", (row) => response(row, row.temperatures)),
  numbers("policy_versions", "INT32", (row) => response(row, row.policyVersions)),
  scalar("reward_score", { type: "DOUBLE" }, ({ row }) => row.record.row.reward, true),
  scalar("success", { type: "BOOLEAN" }, ({ row }) => row.record.row.success, true),
  scalar("advantage", { type: "DOUBLE" }, ({ advantage }) => advantage, true),
  scalar("num_turns", { type: "INT32" }, ({ row }) => row.record.trajectory.turns.length),
];

/** Rows per row group: few enough to encode at once, enough to compress well. */
const ROW_GROUP = 1000;

/** Encodes the rows as a Parquet file with Snappy compression. */
export function encodeVerlParquet(rows: readonly VerlRow[]): Uint8Array {
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: [
      { name: "root", num_children: COLUMNS.length },
      ...COLUMNS.flatMap(({ elements }) => elements),
    ],
    createdBy: "waggle",
    kvMetadata: [{ key: "waggle.exchange", value: "verl/1" }],
  });
  for (let from = 0; from < rows.length; from += ROW_GROUP) {
    const group = rows.slice(from, from + ROW_GROUP);
    void parquet.write({
      columnData: COLUMNS.map(({ name, value }) => ({ name, data: group.map(value) })),
      rowGroupSize: group.length,
    });
  }
  void parquet.finish();
  return new Uint8Array(writer.getBuffer());
}
