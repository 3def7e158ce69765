import { sha256 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createModelStore } from "./model-store.ts";

test("the page's own storage keeps a model for a second, offline load until it is pruned", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const file = { path: "model.safetensors", sha256: await sha256(bytes), sizeBytes: 60_000 };
  let requests = 0;
  const fetch = () => {
    requests++;
    if (requests > 1) throw new TypeError("offline");
    return Promise.resolve(new Response(bytes));
  };
  const open = () => createModelStore({ baseUrl: location.origin, fetch, retryDelayMs: 1 });
  await open().modelFiles({ files: [file] });
  const again = open();
  expect((await again.modelFiles({ files: [file] })).get("model.safetensors")).toEqual(bytes);
  expect([again.isDurable, requests]).toEqual([true, 1]);

  await again.prune([]);
  await expect(open().modelFiles({ files: [file] })).rejects.toMatchObject({ code: "NETWORK" });
});
