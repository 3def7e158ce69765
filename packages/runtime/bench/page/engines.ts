/**
 * Two engines in one page, called from Node, which measures: our runtime in its worker with recording, as a page uses it, and
 * wllama. Both load from the server at their first visit and from the page's storage later.
 */
import { createBrowserPolicy, loadModel } from "@waggle/runtime";
import type { PagePolicy } from "../../src/browser-policy.ts";
import type { Session } from "../../src/session/session.ts";
import { WllamaPeer } from "./wllama-peer.ts";
import type { WllamaSetting } from "./wllama-peer.ts";

/** Tokens that a session can hold, for both. */
const CONTEXT = 1024;
/** Always the most likely token. */
const GREEDY = {
  sampling: { temperature: 1, topK: 1, topP: 1, seed: 1 },
  stopTokenIds: [],
} as const;

type Decoded = {
  readonly tokenIds: readonly number[];
  readonly rawLogProbs: readonly number[];
  /** Build, back end and number format that computed it. */
  readonly fingerprint: string;
};

let ours: PagePolicy | null = null;
let peer: WllamaPeer | null = null;
/** Has read a prompt and its next token. */
let ready: Session | null = null;

function policy(): PagePolicy {
  if (ours === null) throw new Error("our runtime is not open");
  return ours;
}

function wllama(): WllamaPeer {
  if (peer === null) throw new Error("wllama is not open");
  return peer;
}

async function afterPrompt(prompt: readonly number[]): Promise<Session> {
  const session = await policy().createContext();
  session.append(prompt);
  await session.generate({ ...GREEDY, maxTokens: 1 });
  return session;
}

/** What Node calls. */
export const calls = {
  /** @param folder - address of a model in Hugging Face's layout. */
  openOurs: async (folder: string, threads: number): Promise<void> => {
    const model = await loadModel({ kind: "url", baseUrl: new URL(folder, location.href).href });
    ours = await createBrowserPolicy({
      device: "wasm",
      threads,
      modelFiles: model,
      baseModel: model.baseModel,
      contextLength: CONTEXT,
    });
  },

  openPeer: async (folder: string, threads: number, setting: WllamaSetting): Promise<void> => {
    await peer?.dispose();
    peer = null;
    peer = await WllamaPeer.load(`${folder}/model.gguf`, threads, CONTEXT, setting);
  },

  /** The first of `count` tokens follows the prompt. */
  generateOurs: async (prompt: readonly number[], count: number): Promise<Decoded> => {
    const session = await policy().createContext();
    session.append(prompt);
    const sample = await session.generate({ ...GREEDY, maxTokens: count });
    session.dispose();
    const { tokenIds, rawLogProbs, fingerprint = "" } = sample;
    return { tokenIds: [...tokenIds], rawLogProbs: [...rawLogProbs], fingerprint };
  },

  generatePeer: async (prompt: readonly number[], count: number): Promise<readonly number[]> =>
    wllama().generate(prompt, count, false),

  /**
   * Reads a prompt, so that the next call decodes only.
   *
   * @param isKept - whether it continues a copy of a session that has read the prompt before. Our kernels' copies share all
   *   pages of keys and values; onnxruntime would decode copies by other code.
   */
  prepareOurs: async (prompt: readonly number[], isKept: boolean): Promise<void> => {
    if (isKept && ready !== null) return;
    ready?.dispose();
    ready = await afterPrompt(prompt);
  },

  decodeOurs: async (count: number, isKept: boolean): Promise<number> => {
    if (ready === null) throw new Error("no prompt has been read");
    const session = isKept ? await ready.fork() : ready;
    const { tokenIds } = await session.generate({ ...GREEDY, maxTokens: count });
    session.dispose();
    if (!isKept) ready = null;
    return tokenIds.length;
  },

  forgetPrompt: async (): Promise<void> => {
    ready?.dispose();
    ready = null;
  },

  /** After a call with the same prompt. */
  decodePeer: async (prompt: readonly number[], count: number): Promise<number> =>
    (await wllama().generate(prompt, count, true)).length,

  close: async (): Promise<void> => {
    await calls.forgetPrompt();
    await ours?.dispose();
    await peer?.dispose();
    ours = null;
    peer = null;
  },
};

export type EngineCalls = typeof calls;
