/**
 * What reads untrusted files and uploads, each with a source of mutated inputs. A decoder returns a value or throws a
 * `WaggleError`; any other error is a defect.
 */
import {
  type Adapter,
  type DecoderConfig,
  decoderConfigJson,
  initializeAdapter,
  initializeDecoder,
  parseDecoderConfig,
  readModelWeights,
  readPeftAdapter,
  writeSafetensors,
} from "@waggle/model";
import {
  type RandomSource,
  seededRandom,
  toTrainingSamples,
  Trajectory,
  trajectoryDigest,
  UPLOAD_LIMITS,
  UploadEnvelope,
  WaggleError,
} from "@waggle/protocol";
import {
  createChatFormat,
  createTokenizer,
  NANO_SPECIAL_TOKENS,
  nanoTokenizerConfig,
  type TokenizerJson,
  trainByteLevelBpe,
} from "@waggle/text";
import { checkChat } from "../../../packages/cli/src/model/chat-check.ts";
import { readJson } from "../../../workers/edge/src/body.ts";
import { edgeRecord, uploadOf } from "../edge/edge-record.ts";
import { below, HOSTILE_TEXTS, mutatedBytes, mutatedJson, mutatedText, pick } from "./mutation.ts";

/** A decoder with its inputs. */
type DecoderTarget = {
  readonly name: string;
  /** Decodes the input that a random stream gives. Rejects with what the decoder throws. */
  readonly run: (random: RandomSource) => unknown;
};

const VOCABULARY = 300;
const CONFIG: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 32,
  width: 8,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  headSize: 4,
  feedForwardSize: 8,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 128,
  ropeScaling: null,
};
const BASE_MODEL = "b".repeat(64);
const encoder = new TextEncoder();

/** JSON whose values, or whose text, were changed. */
function changedJson(value: unknown, random: RandomSource): string {
  const text = JSON.stringify(random() < 0.8 ? mutatedJson(value, random) : value) ?? "";
  return random() < 0.2 ? mutatedText(text, random) : text;
}

/** The value of a JSON text; `null` if it is none, which is checked before it is read as a config. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Uploads as the edge reads them, to the trainer's samples. */
async function decodeUpload(random: RandomSource): Promise<void> {
  const record = { ...edgeRecord(BASE_MODEL, null), id: "00000000-0000-4000-8000-000000000000" };
  const changed = random() < 0.6 ? mutatedJson(record, random) : record;
  const { digest } = await uploadOf(changed as typeof record);
  const body = { trajectories: [{ digest, trajectory: changed }] };
  const text = random() < 0.3 ? changedJson(body, random) : JSON.stringify(body);
  const request = new Request("http://edge.example/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: random() < 0.1 ? (mutatedBytes(encoder.encode(text), random) as BodyInit) : text,
  });
  const { trajectories } = await readJson(request, UploadEnvelope, UPLOAD_LIMITS.bodyBytes);
  for (const one of trajectories) {
    const { data } = Trajectory.safeParse(one.trajectory);
    if (data === undefined) continue;
    await trajectoryDigest(data);
    toTrainingSamples(data);
  }
}

/** A safetensors file whose header, data or bytes were changed. */
function changedSafetensors(bytes: Uint8Array, random: RandomSource): Uint8Array {
  if (random() < 0.4) return mutatedBytes(bytes, random);
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const header = new TextDecoder().decode(bytes.subarray(8, 8 + length));
  const changed = encoder.encode(changedJson(JSON.parse(header), random));
  const data = bytes.subarray(8 + length);
  const file = new Uint8Array(8 + changed.length + data.length);
  new DataView(file.buffer).setBigUint64(0, BigInt(changed.length), true);
  file.set(changed, 8);
  file.set(data, 8 + changed.length);
  return file;
}

const adapter: Adapter = initializeAdapter(CONFIG, { rank: 2, alpha: 4, seed: 1 });
const adapterFile = writeSafetensors(adapter.tensors);
const ADAPTER_CONFIG = {
  peft_type: "LORA",
  r: 2,
  lora_alpha: 4,
  bias: "none",
  use_rslora: false,
  alpha_pattern: {},
  rank_pattern: {},
  target_modules: ["q_proj"],
};

function decodeAdapter(random: RandomSource): void {
  const config = random() < 0.5 ? parsed(changedJson(ADAPTER_CONFIG, random)) : ADAPTER_CONFIG;
  readPeftAdapter(
    config,
    random() < 0.8 ? changedSafetensors(adapterFile, random) : adapterFile,
    CONFIG,
  );
}

const weights = initializeDecoder(CONFIG, 1);
const modelFile = writeSafetensors(weights);
const configJson = decoderConfigJson(CONFIG);
const INDEX = {
  metadata: { total_size: 1 },
  weight_map: Object.fromEntries([...weights.keys()].map((name) => [name, "part.safetensors"])),
};

/** A model folder: its config and its tensors, in one file or with an index. */
async function decodeModel(random: RandomSource): Promise<void> {
  if (random() < 0.5) {
    parseDecoderConfig(parsed(changedJson(configJson, random)));
    return;
  }
  const file = random() < 0.7 ? changedSafetensors(modelFile, random) : modelFile;
  const files =
    random() < 0.5
      ? { "model.safetensors": file }
      : {
          "model.safetensors.index.json": encoder.encode(changedJson(INDEX, random)),
          "part.safetensors": file,
        };
  await readModelWeights(new Map(Object.entries(files)));
}

const tokenizerJson: TokenizerJson = trainByteLevelBpe(["the quick brown fox the quick"], {
  vocabularySize: VOCABULARY,
  specialTokens: NANO_SPECIAL_TOKENS,
});

const tokenizerConfig = nanoTokenizerConfig(512);
const TOKENIZER_OWNER: DecoderConfig = { ...CONFIG, vocabularySize: VOCABULARY };

/** A tokenizer as `waggle model` and `waggle convert` check it, then hostile text and ids through it. */
function decodeTokenizer(random: RandomSource): void {
  const isChanged = random() < 0.8;
  const files = {
    "tokenizer.json": isChanged
      ? changedJson(tokenizerJson, random)
      : JSON.stringify(tokenizerJson),
    "tokenizer_config.json":
      isChanged && random() < 0.8
        ? JSON.stringify(tokenizerConfig)
        : changedJson(tokenizerConfig, random),
  };
  const byPath = new Map(Object.entries(files).map(([path, text]) => [path, encoder.encode(text)]));
  checkChat(byPath, TOKENIZER_OWNER);
  const json = JSON.parse(new TextDecoder().decode(byPath.get("tokenizer.json"))) as TokenizerJson;
  const read = createTokenizer({ tokenizerJson: json });
  const text = `${pick(random, HOSTILE_TEXTS)}the quick${pick(random, HOSTILE_TEXTS)}`;
  read.encode(text);
  read.decode(Array.from({ length: 8 }, () => below(random, 2 * VOCABULARY) - 10));
}

const tokenizer = createTokenizer({ tokenizerJson });
const chatFormat = createChatFormat({ tokenizer, tokenizerConfig });
const ANSWER = tokenizer.decode(
  chatFormat.encodeAssistant("One moment.", [
    { name: "search", arguments: { text: 'a "b"', most: 3, tags: ["x", null] } },
  ]),
);

/** What a model wrote: text with tool calls. */
function decodeAnswer(random: RandomSource): void {
  const changed = random() < 0.5 ? mutatedText(ANSWER, random) : spliced(ANSWER, random);
  chatFormat.parseAssistant(changed);
}

/** The text with parts repeated or removed. */
function spliced(text: string, random: RandomSource): string {
  const [a, b] = [below(random, text.length), below(random, text.length)];
  return text.slice(0, Math.max(a, b)) + pick(random, HOSTILE_TEXTS) + text.slice(Math.min(a, b));
}

/** All decoders. */
export const DECODERS: readonly DecoderTarget[] = [
  { name: "trajectory", run: decodeUpload },
  { name: "adapter", run: decodeAdapter },
  { name: "model", run: decodeModel },
  { name: "tokenizer", run: decodeTokenizer },
  { name: "answer", run: decodeAnswer },
];

/**
 * Decodes one input.
 *
 * @returns what is wrong; `null` if it was decoded, or refused as it should be.
 */
export async function decodeOne(
  { run }: DecoderTarget,
  seed: number,
  index: number,
): Promise<string | null> {
  try {
    await run(seededRandom(seed, index));
  } catch (error) {
    if (!WaggleError.is(error)) return describe(error);
  }
  // A polluted prototype would show up in every object.
  return "polluted" in {} ? "an input changed Object.prototype" : null;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${String(error)}`.slice(0, 200);
  const place =
    error.stack
      ?.split("\n")
      .find((line) => /^\s+at /.test(line))
      ?.trim() ?? "";
  return `${error.name}: ${error.message.slice(0, 200)} ${place}`;
}
