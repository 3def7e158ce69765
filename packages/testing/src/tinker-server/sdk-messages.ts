/**
 * The protobuf messages that the Tinker SDK sends and expects: names, numbers and types of fields as in
 * thinking-machines-lab/tinker 0.25.0 d595dc2ba62a1494aa0f452fe1d0dbb7b321b870,
 * `src/tinker/proto/tinker_public_pb2.pyi`. A test compares the descriptor built here with the SDK's.
 */
import { create, createFileRegistry } from "@bufbuild/protobuf";
import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import type {
  DescriptorProtoSchema,
  FieldDescriptorProtoSchema,
  FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";

const PACKAGE = "tinker_public";

/** Each field is written as in a .proto file, after the name of its oneof, if it is in one. */
const MESSAGES: { readonly [message: string]: readonly string[] } = {
  SampleResponse: [
    "repeated SampledSequence sequences = 1",
    "optional bytes prompt_logprobs = 2",
    "optional TopkPromptLogprobs topk_prompt_logprobs = 3",
    "int32 prompt_cache_hit_tokens = 4",
  ],
  SampledSequence: [
    "StopReason stop_reason = 1",
    "bytes tokens = 2",
    "optional bytes logprobs = 3",
  ],
  TopkPromptLogprobs: [
    "bytes token_ids = 1",
    "bytes logprobs = 2",
    "uint32 k = 3",
    "uint32 prompt_length = 4",
  ],
  SparseCsr: ["bytes values = 1", "bytes crow_indices = 2", "bytes col_indices = 3"],
  Tensor: [
    "encoding: bytes dense = 1",
    "encoding: SparseCsr sparse_csr = 2",
    "DType dtype = 3",
    "repeated int64 shape = 4",
  ],
  BatchedTensor: [
    "bytes data = 1",
    "bytes offsets = 2",
    "DType dtype = 3",
    "repeated int64 trailing_shape = 4",
  ],
  ArrayRecord: [
    "string type_tag = 1",
    "map<string, BatchedTensor> fields = 2",
    "int64 num_datums = 3",
  ],
  ForwardBackwardOutput: [
    "string loss_fn_output_type = 1",
    "repeated ArrayRecord loss_fn_outputs = 2",
    "map<string, double> metrics = 3",
  ],
  ForwardBackwardRequest: [
    "string model_id = 1",
    "int32 seq_id = 2",
    "repeated Datum data = 3",
    "string loss_fn = 4",
    "map<string, double> loss_fn_config = 5",
    "bool forward_only = 6",
  ],
  Datum: ["repeated Chunk model_input = 1", "map<string, Tensor> loss_fn_inputs = 2"],
  Chunk: [
    "chunk: EncodedTextChunk encoded_text = 1",
    "chunk: ImageChunk image = 2",
    "chunk: DmelChunk dmel = 3",
  ],
  EncodedTextChunk: ["bytes tokens = 1"],
  ImageChunk: ["bytes data = 1", "string format = 2", "optional int32 expected_tokens = 3"],
  DmelChunk: ["bytes dmel = 1"],
  SamplingParams: [
    "optional int32 max_tokens = 1",
    "optional uint64 seed = 2",
    "optional float temperature = 3",
    "optional int32 top_k = 4",
    "optional float top_p = 5",
    "stop: StopStrings stop_strs = 6",
    "stop: StopTokens stop_tokens = 7",
  ],
  StopStrings: ["repeated string values = 1"],
  StopTokens: ["repeated int32 values = 1"],
};

const ENUMS: { readonly [name: string]: readonly string[] } = {
  StopReason: ["STOP_REASON_STOP", "STOP_REASON_LENGTH"],
  DType: ["DTYPE_UNSPECIFIED", "DTYPE_FLOAT32", "DTYPE_INT64", "DTYPE_INT32", "DTYPE_BFLOAT16"],
};

/** Values of `StopReason`. */
export const STOP_REASONS = { stop: 0, length: 1 } as const;
/** Values of `DType`. */
export const DTYPES = { float32: 1, int64: 2, int32: 3 } as const;

const SCALARS: { readonly [name: string]: Type } = {
  bool: Type.BOOL,
  bytes: Type.BYTES,
  double: Type.DOUBLE,
  float: Type.FLOAT,
  int32: Type.INT32,
  int64: Type.INT64,
  string: Type.STRING,
  uint32: Type.UINT32,
  uint64: Type.UINT64,
};

type MessageInit = MessageInitShape<typeof DescriptorProtoSchema>;
type FieldInit = MessageInitShape<typeof FieldDescriptorProtoSchema>;

const FIELD =
  /^(?:(?<oneof>\w+): )?(?:(?<label>repeated|optional) )?(?:map<string, (?<value>\w+)>|(?<type>\w+)) (?<name>\w+) = (?<number>\d+)$/;

function messageOf([name, fields]: readonly [string, readonly string[]]): MessageInit {
  const parsed = fields.map((field) => FIELD.exec(field)?.groups as { [part: string]: string });
  const oneofs = [...new Set(parsed.flatMap(({ oneof = [] }) => oneof))];
  const optional = parsed
    .filter(({ label }) => label === "optional")
    .map((field) => `_${field["name"]}`);
  const declared = [...oneofs, ...optional];
  const maps = parsed.filter(({ value }) => value !== undefined);
  return {
    name,
    field: parsed.map((part) => {
      const entry = part["value"] && `${name}.${entryName(part["name"] as string)}`;
      const isOptional = part["label"] === "optional";
      const oneof = isOptional ? `_${part["name"]}` : part["oneof"];
      return {
        ...fieldOf(part["name"] as string, Number(part["number"]), entry ?? part["type"] ?? ""),
        ...(entry || part["label"] === "repeated" ? { label: Label.REPEATED } : {}),
        ...(oneof === undefined ? {} : { oneofIndex: declared.indexOf(oneof) }),
        ...(isOptional ? { proto3Optional: true } : {}),
      };
    }),
    nestedType: maps.map((part) => ({
      name: entryName(part["name"] as string),
      field: [fieldOf("key", 1, "string"), fieldOf("value", 2, part["value"] as string)],
      options: { mapEntry: true },
    })),
    oneofDecl: declared.map((oneof) => ({ name: oneof })),
  };
}

function fieldOf(name: string, number: number, type: string): FieldInit {
  const label = Label.OPTIONAL;
  const scalar = SCALARS[type];
  if (scalar !== undefined) return { name, number, label, type: scalar };
  const kind = type in ENUMS ? Type.ENUM : Type.MESSAGE;
  return { name, number, label, type: kind, typeName: `.${PACKAGE}.${type}` };
}

/** protoc's name for the entries of a map. */
function entryName(field: string): string {
  const words = field.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Entry`;
}

/** The file's descriptor, as protoc writes it. */
export const SDK_DESCRIPTOR: FileDescriptorProto = create(FileDescriptorProtoSchema, {
  name: "tinker_public.proto",
  package: PACKAGE,
  syntax: "proto3",
  messageType: Object.entries(MESSAGES).map(messageOf),
  enumType: Object.entries(ENUMS).map(([name, values]) => ({
    name,
    value: values.map((value, number) => ({ name: value, number })),
  })),
});

const registry = createFileRegistry(SDK_DESCRIPTOR, () => undefined);

/** The schema of a message. */
export function sdkMessage(name: string): DescMessage {
  return registry.getMessage(`${PACKAGE}.${name}`) as DescMessage;
}
