/** Loads a model folder that differs from the nano model, through the loader that a page uses. */
import { rollOut } from "@waggle/agent";
import { createShopEnvironment } from "@waggle/demo/environment";
import { describeModelFolder } from "@waggle/model";
import { FULL_SUPPORT, Trajectory } from "@waggle/protocol";
import { expect, test } from "vitest";
import { firstManifest } from "../../../test/fixtures/edge-answers.ts";
import { llamaFolder } from "../../../test/fixtures/llama-folder.ts";
import { createPolicyHostOpener } from "./policy-host.ts";

test("a page's policy uses shards, a template file and two stop tokens", async () => {
  const files = llamaFolder();
  const baseModel = await describeModelFolder(files);
  const manifest = firstManifest(baseModel);
  const objects = new Map(
    baseModel.files.map(({ path, sha256 }) => [
      sha256,
      files.find((file) => file.path === path)!.bytes,
    ]),
  );
  const open = createPolicyHostOpener({
    edgeUrl: "https://edge.example",
    device: "wasm",
    fetch: (url) =>
      Promise.resolve(new Response(objects.get(url.split("/").at(-1)!) as Uint8Array<ArrayBuffer>)),
  });
  const host = await open(
    () => Promise.resolve(manifest),
    () => undefined,
  );
  if (host.kind !== "policy") throw new Error("the site's host must be a policy");
  const { policy, chatFormat, client } = host;
  expect(policy.contextLength).toBe(2048);
  expect(chatFormat.stopTokenIds).toHaveLength(2);

  const stopReasons = new Set<string>();
  const gaps: number[] = [];
  for (let seed = 1; seed <= 8; seed += 1) {
    const trajectory = await rollOut({
      policy,
      environment: createShopEnvironment({ environment: "shop", seed, split: "train" }),
      chatFormat,
      limits: { maxTurns: 8, maxTokensPerTurn: 128, timeoutMs: 0 },
      consent: { version: "1", scopes: ["train"], grantedAt: "2026-01-01T00:00:00.000Z" },
      client,
      seed,
    });
    stopReasons.add(Trajectory.parse(trajectory).stopReason);
    const tokenIds = trajectory.segments.flatMap((segment) => segment.tokenIds);
    const { behaviorLogProbs } = await policy.score({ tokenIds, sampling: FULL_SUPPORT });
    let start = 0;
    for (const segment of trajectory.segments) {
      if (segment.kind === "sampled") {
        for (const [t, recorded] of segment.behaviorLogProbs.entries()) {
          gaps.push(Math.abs(recorded - behaviorLogProbs[start + t]!));
        }
      }
      start += segment.tokenIds.length;
    }
  }
  expect(gaps.length).toBeGreaterThan(8);
  expect(Math.max(...gaps)).toBeLessThan(1e-4);
  // A stop token ended each turn and the turn was parsed; some contained half a call.
  expect([...stopReasons].sort()).toEqual(["completed", "parse-error"]);
  await host.dispose();
});

test("the worker starts before the manifest is there, learns the config first, and ends if a file does not come", async () => {
  const described = await describeModelFolder(llamaFolder());
  // The others may be in storage.
  const missing = { path: "missing.json", sha256: "0".repeat(64), sizeBytes: 1 };
  const baseModel = { ...described, files: [...described.files, missing] };
  const config = baseModel.files.find(({ path }) => path === "config.json")!;
  const bytes = llamaFolder().find(({ path }) => path === "config.json")!.bytes;
  const events: string[] = [];
  const hasPrepared = Promise.withResolvers<void>();
  const worker = {
    postMessage: ({ request }: { readonly request: { readonly kind: string } }) => {
      events.push(request.kind);
      hasPrepared.resolve();
    },
    addEventListener: () => undefined,
    terminate: () => events.push("end"),
  };
  const open = createPolicyHostOpener({
    edgeUrl: "https://edge.example",
    device: "wasm",
    createWorker: () => {
      events.push("start");
      return worker as unknown as Worker;
    },
    fetch: async (url) => {
      if (url.endsWith(config.sha256)) return new Response(bytes as Uint8Array<ArrayBuffer>);
      await hasPrepared.promise;
      return new Response("no", { status: 404 });
    },
  });
  const opening = open(
    async () => {
      // One turn of the event loop, in which the device is chosen.
      await new Promise((resolve) => setTimeout(resolve));
      events.push("manifest");
      return firstManifest(baseModel);
    },
    () => undefined,
  );
  await expect(opening).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect(events).toEqual(["start", "manifest", "prepare", "end"]);
});
