import { canonicalJson } from "@waggle/protocol";
import { expect, test } from "vitest";
import { readStoredTrajectory } from "./stored-trajectory.ts";
import { bindings, freshEdge, makeUpload } from "./testing/edge.ts";

/** A bucket whose first byte reads fail. */
function failing(failures: number): R2Bucket {
  let left = failures;
  const get = async (key: string): Promise<unknown> => {
    const object = await bindings.OBJECTS.get(key);
    left -= 1;
    if (left < 0 || object === null) return object;
    await object.arrayBuffer();
    return { size: object.size, arrayBuffer: () => Promise.reject(new Error("cut short")) };
  };
  return { get } as unknown as R2Bucket;
}

test("an object that is unreadable twice becomes a result with a reason", async () => {
  const { digest, trajectory } = await makeUpload(await freshEdge(), null);
  await bindings.OBJECTS.put("stored", canonicalJson(trajectory));
  expect(await readStoredTrajectory(failing(1), "stored", digest)).toMatchObject({ ok: true });
  expect(await readStoredTrajectory(failing(2), "stored", digest)).toEqual({
    ok: false,
    reason: "object-unreadable",
  });
});
