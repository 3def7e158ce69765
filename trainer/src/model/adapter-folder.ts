/**
 * An adapter in a folder: PEFT's two files and, for continued training, `optimizer.safetensors`, which
 * PEFT ignores. Its tensors are `firstMoments/<name>` and `secondMoments/<name>` in float32, shaped
 * like the trained tensor of that name; its metadata `step` counts optimizer steps. Trained value heads
 * are in `value_head.safetensors`, as `score.weight` and `score.bias`, and continue with the training.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Adapter,
  adapterConfigJson,
  type DecoderConfig,
  readPeftAdapter,
  readSafetensors,
  writeAdapter,
  VALUE_HEAD,
  type ValueHead,
  writeSafetensors,
} from "@waggle/model";
import { type EngineCheckpoint, type Tensor, WaggleError } from "@waggle/protocol";
import type { OutputFile } from "../files/output.ts";

/** An adapter read from a folder. */
export type AdapterFolder = {
  readonly adapter: Adapter;
  /** Present if value heads were trained. */
  readonly valueHead: ValueHead | null;
  /**
   * Engine checkpoint, present if the folder has moments: parameters, moments and step continue bit for
   * bit.
   */
  readonly checkpoint: EngineCheckpoint | null;
};

const CONFIG = "adapter_config.json";
const WEIGHTS = "adapter_model.safetensors";
const OPTIMIZER = "optimizer.safetensors";
const HEADS = "value_head.safetensors";
/** Prefix of parameters in an engine's checkpoint; the other tensors are moments. */
const PARAMETER = "parameters/";

/**
 * Reads an adapter folder.
 *
 * @throws WaggleError `NOT_FOUND` without PEFT's two files, `ADAPTER_INCOMPATIBLE`, `MODEL_CORRUPT`,
 * `CHECKPOINT_CORRUPT` for moments without a step.
 */
export async function readAdapterFolder(
  folder: string,
  config: DecoderConfig,
): Promise<AdapterFolder> {
  const read = async (name: string): Promise<Uint8Array | null> => {
    try {
      return new Uint8Array(await readFile(join(folder, name)));
    } catch (error) {
      if ((error as { code?: unknown }).code === "ENOENT") return null;
      throw error;
    }
  };
  const [configBytes, weights, optimizer, heads] = [
    await read(CONFIG),
    await read(WEIGHTS),
    await read(OPTIMIZER),
    await read(HEADS),
  ];
  if (configBytes === null || weights === null) {
    throw new WaggleError(
      "NOT_FOUND",
      `the adapter folder ${folder} has no ${configBytes === null ? CONFIG : WEIGHTS}; name a folder in PEFT's layout, with ${CONFIG} and ${WEIGHTS}`,
    );
  }
  const adapter = readPeftAdapter(parseJson(configBytes), weights, config);
  const valueHead = heads && readHeads(heads);
  if (optimizer === null) return { adapter, valueHead, checkpoint: null };
  const { tensors, metadata } = readSafetensors(optimizer);
  const step = Number(metadata["step"] ?? "none");
  if (!Number.isInteger(step) || step < 0) {
    throw new WaggleError(
      "CHECKPOINT_CORRUPT",
      `${OPTIMIZER} has no valid step in its metadata: ${JSON.stringify(metadata["step"]) ?? "none"}; save the checkpoint again`,
    );
  }
  const parameters = [...adapter.tensors, ...(valueHead?.tensors ?? [])].map(
    ([name, tensor]) => [PARAMETER + name, tensor] as const,
  );
  return {
    adapter,
    valueHead,
    checkpoint: { step, tensors: new Map([...parameters, ...tensors]) },
  };
}

/** Shapes are checked by the engine, which knows its decoder. */
function readHeads(bytes: Uint8Array): ValueHead {
  const { tensors } = readSafetensors(bytes);
  return { heads: tensors.get(VALUE_HEAD.bias)?.shape[0] ?? 0, tensors };
}

/**
 * The files of an adapter folder.
 * @param checkpoint - supplies the moments and step.
 */
export function adapterFolderFiles(
  adapter: Adapter,
  config: DecoderConfig,
  options: {
    readonly dtype?: "F32" | "F16" | "BF16";
    readonly checkpoint?: EngineCheckpoint;
  } = {},
): OutputFile[] {
  const { dtype, checkpoint } = options;
  const json = JSON.stringify(adapterConfigJson(adapter, config), null, 2);
  const files: OutputFile[] = [
    { name: WEIGHTS, content: writeAdapter(adapter, config, dtype) },
    { name: CONFIG, content: [`${json}\n`] },
  ];
  if (checkpoint !== undefined) {
    const moments = new Map(
      [...checkpoint.tensors].filter(([name]) => !name.startsWith(PARAMETER)),
    );
    const metadata = { format: "pt", step: String(checkpoint.step) };
    files.push({ name: OPTIMIZER, content: writeSafetensors(moments, metadata) });
    const heads = parametersOf(checkpoint).filter(([name]) => IN_HEADS.has(name));
    if (heads.length > 0) {
      files.push({ name: HEADS, content: writeSafetensors(new Map(heads), { format: "pt" }) });
    }
  }
  return files;
}

/** The trained adapter in an engine's checkpoint, without value heads. */
export function adapterOf(
  checkpoint: EngineCheckpoint,
  { rank, alpha }: Pick<Adapter, "rank" | "alpha">,
): Adapter {
  const parameters = parametersOf(checkpoint).filter(([name]) => !IN_HEADS.has(name));
  return { rank, alpha, tensors: new Map(parameters) };
}

const IN_HEADS: ReadonlySet<string> = new Set(Object.values(VALUE_HEAD));

/** The checkpoint's parameters under their own names. */
function parametersOf({ tensors }: EngineCheckpoint): (readonly [string, Tensor])[] {
  return [...tensors]
    .filter(([name]) => name.startsWith(PARAMETER))
    .map(([name, tensor]) => [name.slice(PARAMETER.length), tensor] as const);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new WaggleError(
      "ADAPTER_INCOMPATIBLE",
      `${CONFIG} (${bytes.length} bytes) is not valid JSON; write it again`,
      { cause },
    );
  }
}
