/** The runtime as a page uses it: `createBrowserPolicy` in its worker, with recording. */
import { createBrowserPolicy } from "@waggle/runtime";
import type { Generation } from "./transformers-peer.ts";

type Policy = Awaited<ReturnType<typeof createBrowserPolicy>>;
type Context = Awaited<ReturnType<Policy["createContext"]>>;

/** Always the most likely token. */
const GREEDY = { temperature: 1, topK: 1, topP: 1, seed: 1 };

/** @param name - a folder under `/bench-models/`. */
export async function loadOurs(
  name: string,
  device: "wasm" | "webgpu",
  threads: number,
  options: { readonly adapterStrategy?: "merge" | "inputs"; readonly contextLength?: number } = {},
): Promise<Policy> {
  const files = new Map<string, Uint8Array>();
  for (const file of ["config.json", "model.safetensors"]) {
    const response = await fetch(`/bench-models/${name}/${file}`);
    files.set(file, new Uint8Array(await response.arrayBuffer()));
  }
  return createBrowserPolicy({
    device,
    threads,
    baseModel: "0".repeat(64),
    modelFiles: files,
    ...options,
  });
}

/** Generates one token, then `count` more that are timed. */
export async function generateOurs(
  policy: Policy,
  prompt: readonly number[],
  count: number,
): Promise<Generation> {
  const context = await policy.createContext();
  const generation = await continueOurs(context, prompt, count);
  context.dispose();
  return generation;
}

/**
 * Like `generateOurs`, continuing a context; `given` may be empty. Timed like the peer: from the
 * first token to the last, as they arrive in the page.
 */
export async function continueOurs(
  context: Context,
  given: readonly number[],
  count: number,
): Promise<Generation> {
  if (given.length > 0) context.append(given);
  let first = 0;
  const { tokenIds } = await context.generate({
    sampling: GREEDY,
    stopTokenIds: [],
    maxTokens: count + 1,
    onToken: () => (first ||= performance.now()),
  });
  return { tokenIds, decodeMs: performance.now() - first };
}
