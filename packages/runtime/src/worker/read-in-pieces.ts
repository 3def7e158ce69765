/**
 * Reads models in pieces: those in the browser's storage, and those in a stored format. Loaded on demand, because most pages
 * post the bytes of a small model of plain numbers.
 */
import { parameterCount, readModelWeights } from "@waggle/model";
import type { DecoderConfig, TensorSource, WeightFormat } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import { openModel } from "../store/loaded-model.ts";
import type { refetchChunk } from "../store/refetch-chunk.ts";
import type { BrowserDevice, OpenRequest } from "./messages.ts";

/** Up to this size, a copy of the weights for merging is cheaper than the time of adapters as inputs: 64 MB. */
const MOST_PARAMETERS_MERGED = 16e6;

type Described = { readonly config: DecoderConfig; readonly storedFormat: WeightFormat | null };

/** A model whose weights have not been read. */
type ModelInPieces = {
  readonly paths: readonly string[];
  /** Everything but the weights. */
  readonly small: ReadonlyMap<string, Uint8Array>;
  /** As a whole if adapters will be merged into them; else they are read when the device needs them. */
  weights(described: Described): Promise<TensorMap | TensorSource>;
};

export async function readInPieces(
  request: OpenRequest,
  device: { readonly kind: BrowserDevice; readonly refetchChunk?: typeof refetchChunk },
): Promise<ModelInPieces> {
  const { model } = request;
  const held = "get" in model ? { files: Array.from(model, heldFile) } : model;
  const reader = await openModel(
    held,
    device.refetchChunk && { refetchChunk: device.refetchChunk },
  );
  const paths = held.files.map(({ path }) => path);
  const small = new Map<string, Uint8Array>();
  for (const path of paths) {
    if (/\.(json|jinja|txt|model)$/.test(path)) small.set(path, await reader.bytes(path));
  }
  return {
    paths,
    small,
    async weights(described) {
      if (!mergesAdapters(request, described, device.kind)) return reader.weights();
      const whole = new Map(small);
      for (const path of paths) if (!whole.has(path)) whole.set(path, await reader.bytes(path));
      return readModelWeights(whole);
    },
  };
}

function mergesAdapters(
  { adapterStrategy, dtype }: OpenRequest,
  { config, storedFormat }: Described,
  kind: BrowserDevice,
): boolean {
  const isPlain = storedFormat === null && dtype !== "int8" && dtype !== "int4";
  if (kind !== "wasm" || !isPlain || adapterStrategy === "inputs") return false;
  return adapterStrategy === "merge" || parameterCount(config) <= MOST_PARAMETERS_MERGED;
}

function heldFile([path, bytes]: readonly [string, Uint8Array]) {
  const blob = new Blob([bytes as Uint8Array<ArrayBuffer>]);
  return { path, content: { kind: "blob", blob } } as const;
}
