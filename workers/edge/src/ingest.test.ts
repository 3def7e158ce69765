import { DEFAULT_SITE } from "@waggle/protocol";
import { ingest } from "./ingest.ts";
import type { Bindings } from "./settings.ts";
import { siteDatabase } from "./sites/site-database.ts";
import {
  assign,
  bindings,
  freshEdge,
  makeUpload,
  openSession,
  stored,
  type Upload,
} from "./testing/edge.ts";
import { beforeEach, expect, test } from "vitest";

let baseModel = "";
let visitorId = "";
let example: Upload;

beforeEach(async () => {
  baseModel = await freshEdge();
  const session = await openSession();
  visitorId = session.visitorId;
  example = await makeUpload(baseModel, await assign(session.token));
});

const NOW = Date.parse("2026-11-20T12:00:00.000Z");

type Stores = Pick<Bindings, "DB" | "OBJECTS">;

/** Stores whose named method fails once, as if the process died there. */
function failingOnce(where: "put" | "insert"): Stores {
  let failed = false;
  const fail = () => {
    failed = true;
    throw new Error("gone");
  };
  return {
    OBJECTS: new Proxy(bindings.OBJECTS, {
      get: (target, name: keyof R2Bucket) => {
        if (name === "put" && where === "put" && !failed) return fail;
        const value = target[name];
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
    DB: new Proxy(bindings.DB, {
      get: (target, name: keyof D1Database) => {
        if (name !== "prepare") return target[name];
        return (sql: string) =>
          where === "insert" && !failed && sql.includes("INSERT") ? fail() : target.prepare(sql);
      },
    }),
  };
}

const take = ({ DB, OBJECTS }: Stores) =>
  ingest(
    { DB: siteDatabase(DB, DEFAULT_SITE), OBJECTS },
    visitorId,
    { trajectories: [example] },
    { groupBytes: 0, consentDays: 400, level: "full", now: NOW },
  );

test("a failure before the object is stored leaves nothing, and a retry stores everything", async () => {
  const stores = failingOnce("put");
  await expect(take(stores)).rejects.toThrow("gone");
  expect(await stored()).toEqual({ rows: 0, objects: 0 });
  expect(await take(stores)).toEqual([{ digest: example.digest, status: "accepted" }]);
  expect(await stored()).toEqual({ rows: 1, objects: 1 });
});

test("a failure between object and row leaves nothing visible, and a retry repairs it", async () => {
  const stores = failingOnce("insert");
  await expect(take(stores)).rejects.toThrow("gone");
  expect((await stored()).rows).toBe(0);
  expect(await take(stores)).toEqual([{ digest: example.digest, status: "accepted" }]);
  expect(await stored()).toEqual({ rows: 1, objects: 1 });
});

test("the stored object is the canonical trajectory, byte for byte", async () => {
  await take(bindings);
  const key = await bindings.DB.prepare("SELECT objectKey FROM trajectories").first<string>(
    "objectKey",
  );
  const object = await bindings.OBJECTS.get(key ?? "");
  expect(await object?.json()).toEqual(example.trajectory);
});
