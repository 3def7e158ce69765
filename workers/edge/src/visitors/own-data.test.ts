/** A visitor's page reads all that is stored of its visitor, in pages, and nothing of others. */
import { beforeEach, expect, test } from "vitest";
import { call, freshEdge, makeUpload, openSession, type Upload, upload } from "../testing/edge.ts";

let baseModel = "";

beforeEach(async () => {
  baseModel = await freshEdge();
});

type Line = { readonly kind: string; readonly [member: string]: unknown };

async function pageOf(token: string, after?: string): Promise<Line[]> {
  const query = after === undefined ? "" : `?after=${after}`;
  const { status, body, headers } = await call("GET", `/v1/visitor${query}`, { token });
  expect([status, headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  expect(headers.get("cache-control")).toBe("no-store");
  return String(body)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

/** Every page. */
async function pagesOf(token: string): Promise<Line[][]> {
  const pages = [await pageOf(token)];
  for (;;) {
    const last = pages.at(-1)?.at(-1);
    if (last?.kind !== "next") return pages;
    pages.push(await pageOf(token, String(last["after"])));
  }
}

test("all pages together have every record once, with at most 50 on a page, and the first only counts", async () => {
  const { token, visitorId } = await openSession();
  const uploads: Upload[] = [];
  for (let i = 0; i < 55; i += 1) uploads.push(await makeUpload(baseModel, null));
  await upload(token, ...uploads);
  const feedback = {
    id: crypto.randomUUID(),
    trajectoryId: uploads[0]?.trajectory.id,
    kind: "thumb-up",
    at: "2026-11-20T12:00:00.000Z",
  };
  await call("POST", "/v1/feedback", { token, body: feedback });

  const pages = await pagesOf(token);
  expect(pages[0]).toMatchObject([
    { kind: "visitor", visitorId, trajectories: 55, feedback: 1, outcomes: 0 },
    { kind: "consent", version: "1", trajectories: 55 },
    { kind: "receipt", receipt: { visitorId }, withdrawnAt: null },
    { kind: "next" },
  ]);
  expect(Math.max(...pages.map(({ length }) => length))).toBe(51);
  const lines = pages.flat();
  expect(lines.at(-1)).toEqual({ kind: "end" });
  const trajectories = lines.filter(({ kind }) => kind === "trajectory");
  const byDigest = new Map(trajectories.map((line) => [line["digest"], line["trajectory"]]));
  expect(trajectories).toHaveLength(55);
  expect(byDigest).toEqual(new Map(uploads.map(({ digest, trajectory }) => [digest, trajectory])));
  expect(lines.filter(({ kind }) => kind === "feedback")).toEqual([{ kind: "feedback", feedback }]);
});

test("the edge's judgment is not among it", async () => {
  const { token } = await openSession();
  await upload(token, await makeUpload(baseModel, null));
  const members = (await pagesOf(token)).flat().flatMap((line) => Object.keys(line));
  for (const name of ["row", "reputation", "unusedSeeds", "status", "reason", "reward"]) {
    expect(members).not.toContain(name);
  }
  expect(members).toContain("trajectory");
});

test("another visitor's cursor reads nothing of that visitor", async () => {
  const one = await makeUpload(baseModel, null);
  await upload((await openSession()).token, one);
  const { token } = await openSession();
  const lines = [
    ...(await pagesOf(token)).flat(),
    ...(await pageOf(token, "trajectory.")),
    ...(await pageOf(token, `trajectory.${"0".repeat(64)}`)),
  ];
  expect(JSON.stringify(lines)).not.toContain(one.trajectory.id);
  expect(lines[0]).toMatchObject({ trajectories: 0 });
});

test.each(["", "trajectory", "letters.", "constructor.", "trajectory.' OR 1 = 1", "trajectory.x"])(
  "%j is not a cursor",
  async (after) => {
    const { token } = await openSession();
    const reply = await call("GET", `/v1/visitor?after=${encodeURIComponent(after)}`, { token });
    expect(reply).toMatchObject({ status: 400, body: { error: { code: "SCHEMA_INVALID" } } });
  },
);
