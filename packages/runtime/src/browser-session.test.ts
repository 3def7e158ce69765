/** The page's record of tokens, against a scripted worker. */
import { FULL_SUPPORT } from "@waggle/protocol";
import { afterEach, expect, test, vi } from "vitest";
import { createBrowserPolicy } from "./browser-policy.ts";
import type { WorkerHandle } from "./worker-client.ts";
import type { RequestEnvelope, WorkerMessage } from "./worker/messages.ts";

/** Answers a generation with `tokenIds`, after sending the first `early` of them. */
function scriptedWorker(tokenIds: readonly number[], early: number): WorkerHandle {
  const target = new EventTarget();
  const say = (data: WorkerMessage) => target.dispatchEvent(new MessageEvent("message", { data }));
  const sample = {
    tokenIds,
    behaviorLogProbs: tokenIds.map(() => -1),
    rawLogProbs: tokenIds.map(() => -1),
    entropies: tokenIds.map(() => 0),
    stopReason: "max-tokens",
  };
  const answers: { readonly [kind: string]: unknown } = {
    open: {
      check: { key: "this", result: { verdict: "ok" } },
      limits: { contextLength: 50, vocabularySize: 9 },
    },
    "create-session": { policyVersion: 0 },
    generate: { sample, policyVersion: 0 },
  };
  return {
    addEventListener: target.addEventListener.bind(target),
    terminate: () => undefined,
    postMessage: (message: unknown) => {
      const { id, request } = message as RequestEnvelope;
      queueMicrotask(() => {
        if (request.kind === "generate" && early > 0) {
          say({ kind: "tokens", id, tokenIds: tokenIds.slice(0, early) });
        }
        say({ kind: "answer", id, value: answers[request.kind] });
      });
    },
  };
}

afterEach(() => vi.unstubAllGlobals());

test.each([0, 2, 5])(
  "with %i of 5 tokens before the result, the record has and the listener gets each once",
  async (early) => {
    vi.stubGlobal("navigator", {});
    const policy = await createBrowserPolicy({
      modelFiles: new Map(),
      baseModel: "0".repeat(64),
      device: "wasm",
      createWorker: () => scriptedWorker([3, 1, 4, 1, 5], early),
    });
    const session = await policy.createContext();
    session.append([7, 7]);
    const heard: number[] = [];
    await session.generate({
      sampling: { ...FULL_SUPPORT, seed: 1 },
      stopTokenIds: [],
      maxTokens: 5,
      onToken: (id) => heard.push(id),
    });
    expect(heard).toEqual([3, 1, 4, 1, 5]);
    expect(session.tokenIds).toEqual([7, 7, 3, 1, 4, 1, 5]);
  },
);
