/**
 * Protobuf bodies of the Tinker SDK as the JSON that routes read, and results as the SDK decodes them:
 * thinking-machines-lab/tinker 0.25.0 d595dc2b, `src/tinker/proto/{request,response}_conv.py`. Not read:
 * images, audio and sparse tensors.
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { DTYPES, sdkMessage, STOP_REASONS } from "./sdk-messages.ts";

export const PROTOBUF_TYPE = "application/x-protobuf";

type Json = { readonly [name: string]: unknown };
type WireTensor = { readonly data: readonly number[]; readonly shape: readonly number[] };

/** One sampled continuation. */
export type SampledTokens = {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly stop_reason: "stop" | "length";
};

/** The result of a sampling request, in the SDK's JSON names. */
export type SampleResult = {
  readonly sequences: readonly SampledTokens[];
  /** Null where the SDK has NaN: the first token has no log-prob. */
  readonly prompt_logprobs?: readonly (number | null)[];
  readonly type: "sample";
};

type TensorMessage = {
  readonly dtype: number;
  readonly shape: readonly bigint[];
  readonly encoding: { readonly case?: string; readonly value?: unknown };
};
type PassMessage = {
  readonly modelId: string;
  readonly seqId: number;
  readonly lossFn: string;
  readonly lossFnConfig: { readonly [name: string]: number };
  readonly forwardOnly: boolean;
  readonly data: readonly {
    readonly modelInput: readonly {
      readonly chunk: { readonly case?: string; readonly value?: { readonly tokens: Uint8Array } };
    }[];
    readonly lossFnInputs: { readonly [name: string]: TensorMessage };
  }[];
};

/** @throws Error for a body that is not a `ForwardBackwardRequest`. */
export function readPassRequest(body: Uint8Array): Json {
  const message = fromBinary(sdkMessage("ForwardBackwardRequest"), body) as unknown as PassMessage;
  return {
    model_id: message.modelId,
    // The SDK writes 0 for a request without a number.
    ...(message.seqId === 0 ? {} : { seq_id: message.seqId }),
    forward_only: message.forwardOnly,
    forward_backward_input: {
      loss_fn: message.lossFn,
      loss_fn_config: message.lossFnConfig,
      data: message.data.map(({ modelInput, lossFnInputs }) => ({
        model_input: {
          chunks: modelInput.map(({ chunk }) => {
            if (chunk.case !== "encodedText") throw new Error(`chunk ${chunk.case} is not read`);
            const tokens = int32sOf(chunk.value?.tokens as Uint8Array);
            return { type: "encoded_text", tokens };
          }),
        },
        loss_fn_inputs: Object.fromEntries(
          Object.entries(lossFnInputs).map(([name, tensor]) => [name, tensorOf(name, tensor)]),
        ),
      })),
    },
  };
}

function tensorOf(name: string, { dtype, shape, encoding }: TensorMessage): Json {
  if (encoding.case !== "dense") throw new Error(`${name}: only dense tensors are read`);
  const bytes = encoding.value as Uint8Array;
  const data = dtype === DTYPES.int64 ? int64sOf(bytes) : float32sOf(bytes);
  return {
    data,
    dtype: dtype === DTYPES.int64 ? "int64" : "float32",
    shape: shape.length > 0 ? shape.map(Number) : [data.length],
  };
}

/** @param result as a pass ends with it in JSON. */
export function writePassOutput(result: Json): Uint8Array {
  const outputs = result["loss_fn_outputs"] as readonly { readonly [name: string]: WireTensor }[];
  const names = [...new Set(outputs.flatMap((output) => Object.keys(output)))];
  const fields = Object.fromEntries(
    names.map((name) => {
      const rows = outputs.map((output) => bytesOf(Float32Array.from(output[name]?.data ?? [])));
      let end = 0;
      const offsets = BigInt64Array.from([0n, ...rows.map((row) => BigInt((end += row.length)))]);
      const batched = create(sdkMessage("BatchedTensor"), {
        data: new Uint8Array(Buffer.concat(rows)),
        offsets: bytesOf(offsets),
        dtype: DTYPES.float32,
      });
      return [name, batched];
    }),
  );
  const record = create(sdkMessage("ArrayRecord"), { fields, numDatums: BigInt(outputs.length) });
  const schema = sdkMessage("ForwardBackwardOutput");
  const message = create(schema, {
    lossFnOutputType: result["loss_fn_output_type"],
    lossFnOutputs: outputs.length === 0 ? [] : [record],
    metrics: result["metrics"],
  });
  return toBinary(schema, message);
}

export function writeSampleOutput({ sequences, prompt_logprobs }: SampleResult): Uint8Array {
  const schema = sdkMessage("SampleResponse");
  const message = create(schema, {
    sequences: sequences.map(({ tokens, logprobs, stop_reason }) =>
      create(sdkMessage("SampledSequence"), {
        stopReason: STOP_REASONS[stop_reason],
        tokens: bytesOf(Int32Array.from(tokens)),
        logprobs: bytesOf(Float32Array.from(logprobs)),
      }),
    ),
    ...(prompt_logprobs === undefined
      ? {}
      : {
          promptLogprobs: bytesOf(
            Float32Array.from(prompt_logprobs, (value) => value ?? Number.NaN),
          ),
        }),
  });
  return toBinary(schema, message);
}

function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** A copy, because a view needs an aligned start. */
function alignedOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

function int32sOf(bytes: Uint8Array): number[] {
  return [...new Int32Array(alignedOf(bytes))];
}

function int64sOf(bytes: Uint8Array): number[] {
  return Array.from(new BigInt64Array(alignedOf(bytes)), Number);
}

function float32sOf(bytes: Uint8Array): number[] {
  return [...new Float32Array(alignedOf(bytes))];
}
