/**
 * Reads trained parameters from the server: a tar archive over HTTP (SkyRL), or PEFT's files in a
 * shared folder (open-rl). Checks them against the decoder.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  loraParameters,
  readPeftAdapter,
  readSafetensors,
  selectDecoderWeights,
} from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { readTar } from "./tar-archive.ts";
import type { TinkerClient } from "./tinker-client.ts";

export type RemoteWeightsOptions = {
  readonly config: DecoderConfig;
  /** Shape of the adapter; null if every parameter is trained. */
  readonly adapter: { readonly rank: number; readonly alpha: number } | null;
  /** Local path of the server's `OPEN_RL_TMP_DIR`. */
  readonly sharedFolder: string | undefined;
};

type Files = ReadonlyMap<string, Uint8Array>;

/** Twice the size of the parameters in float32, which leaves room for a tokenizer and headers. */
const BYTES_PER_PARAMETER = 8;
const SMALLEST_LIMIT = 256 * 1024 * 1024;

/**
 * Reads the parameters, in the port's names and order.
 * @throws WaggleError `CAPABILITY_MISSING` if the server only returns a path, or another kind of file;
 *   `ADAPTER_INCOMPATIBLE` if the adapter's decoder, rank or alpha differ.
 */
export async function readRemoteWeights(
  client: TinkerClient,
  options: RemoteWeightsOptions,
): Promise<TensorMap> {
  const files =
    client.flavor.weights === "archive"
      ? await filesOfArchive(client, options.config)
      : await filesOfFolder(client, options.sharedFolder);
  return options.adapter === null
    ? fullWeights(files, options.config)
    : adapterWeights(files, options.config, options.adapter);
}

async function filesOfArchive(client: TinkerClient, config: DecoderConfig): Promise<Files> {
  const { modelId, name } = await client.saveForSampler();
  const archive = await client.downloadArchive(modelId, name);
  const parameters = 12 * config.layers * config.width ** 2 + config.vocabularySize * config.width;
  return readTar(archive, Math.max(SMALLEST_LIMIT, BYTES_PER_PARAMETER * parameters));
}

/** open-rl `trainer.py`, save_adapter: `peft/<model>` contains PEFT's folder of the same name. */
async function filesOfFolder(client: TinkerClient, folder: string | undefined): Promise<Files> {
  if (folder === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      "parameters() needs a folder shared with the server; mount OPEN_RL_TMP_DIR here and pass it as sharedFolder",
    );
  }
  const { modelId } = await client.saveForSampler();
  const read = async (name: string): Promise<[string, Uint8Array]> => [
    name,
    new Uint8Array(await readFile(join(folder, "peft", modelId, modelId, name))),
  ];
  const names = ["adapter_config.json", "adapter_model.safetensors"];
  return new Map(
    await Promise.all(names.map(read)).catch((error: unknown) => {
      throw new WaggleError(
        "NOT_FOUND",
        `found no adapter from the server below ${folder}: ${String(error).slice(0, 200)}; is it the server's OPEN_RL_TMP_DIR?`,
        { cause: error },
      );
    }),
  );
}

function adapterWeights(
  files: Files,
  config: DecoderConfig,
  wanted: { readonly rank: number; readonly alpha: number },
): TensorMap {
  const json = files.get("adapter_config.json");
  const bytes = files.get("adapter_model.safetensors");
  if (json === undefined || bytes === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `the server's archive contains no adapter, only ${[...files.keys()].slice(0, 5).join(", ").slice(0, 200) || "empty folders"}; use a backend that saves adapters instead of merged models`,
    );
  }
  const adapter = readPeftAdapter(JSON.parse(new TextDecoder().decode(json)), bytes, config);
  if (adapter.rank !== wanted.rank || adapter.alpha !== wanted.alpha) {
    throw new WaggleError(
      "ADAPTER_INCOMPATIBLE",
      `the server's adapter has rank ${adapter.rank} and alpha ${adapter.alpha}, but this engine has rank ${wanted.rank} and alpha ${wanted.alpha}; use the server's values`,
    );
  }
  return inOrder(adapter.tensors, loraParameters(config, wanted.rank));
}

function fullWeights(files: Files, config: DecoderConfig): TensorMap {
  const bytes = files.get("model.safetensors");
  if (bytes === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `the server's archive contains no model.safetensors, only ${[...files.keys()].slice(0, 5).join(", ").slice(0, 200) || "empty folders"}; copy the weights from the server's storage`,
    );
  }
  return selectDecoderWeights(config, readSafetensors(bytes).tensors);
}

/**
 * An adapter's tensors in the port's order.
 * @throws WaggleError `ADAPTER_INCOMPATIBLE` if one is missing, unexpected or has another shape.
 */
export function inOrder(
  tensors: TensorMap,
  parameters: readonly { readonly name: string; readonly shape: readonly number[] }[],
): TensorMap {
  const known = new Set(parameters.map(({ name }) => name));
  const foreign = [...tensors.keys()].find((name) => !known.has(name));
  if (foreign !== undefined) throw otherDecoder(foreign, "which has no such tensor");
  return new Map(
    parameters.map(({ name, shape }): [string, Tensor] => {
      const tensor = tensors.get(name);
      if (tensor === undefined || tensor.shape.join() !== shape.join()) {
        throw otherDecoder(
          `${name} [${tensor?.shape.join(", ") ?? "absent"}]`,
          `[${shape.join(", ")}]`,
        );
      }
      return [name, tensor];
    }),
  );
}

function otherDecoder(got: string, wanted: string): WaggleError {
  return new WaggleError(
    "ADAPTER_INCOMPATIBLE",
    `the server's adapter does not fit this engine's decoder: it has ${got.slice(0, 200)} instead of ${wanted}; use the same base model in both places`,
  );
}
