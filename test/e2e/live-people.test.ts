/**
 * The practice page with simulated people, in Chromium with the nano model: built, served and opened as the loop does it.
 * The edge is a list of answers that records what it gets.
 */
import { gunzipSync } from "node:zlib";
import { type Feedback, type Trajectory, UploadRequest } from "@waggle/protocol";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Visitors } from "../../packages/dev/src/loop/visitors.ts";
import { buildPage, practicePage, startPage } from "../../packages/dev/src/pages/pages.ts";
import type { ManagedProcess } from "../../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { DEMO } from "../fixtures/demo.ts";
import { type LocalServer, localServer } from "../fixtures/local-server.ts";
import { edgeAnswers } from "../fixtures/recorded-edge.ts";
import { statusOf } from "./shop-page.fixture.ts";

const LIVE = {
  pages: 1,
  device: "wasm",
  simulate: "forever",
  live: { signal: "thumb", answering: 1, wrong: 0, seed: 0 },
} as const;

const SLOW = { timeout: 240_000 };

const paths = new Set<string>();
const trajectories: Trajectory[] = [];
const feedback: Feedback[] = [];
let edge: LocalServer;
let served: ManagedProcess;
let address: string;
let visitors: Visitors;

/** Stores uploads and feedback. */
async function store(request: Request): Promise<object> {
  const body = Buffer.from(await request.arrayBuffer());
  const isPacked = request.headers.get("content-encoding") === "gzip";
  const json: unknown = JSON.parse((isPacked ? gunzipSync(body) : body).toString());
  if (request.url.endsWith("/v1/feedback")) {
    feedback.push(json as Feedback);
    return {};
  }
  const uploaded = UploadRequest.parse(json).trajectories;
  trajectories.push(...uploaded.map(({ trajectory }) => trajectory));
  return { results: uploaded.map(({ digest }) => ({ digest, status: "accepted" })) };
}

beforeAll(async () => {
  const answer = await edgeAnswers();
  edge = await localServer(async (request) => {
    const { pathname } = new URL(request.url);
    const headers = {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "*",
      "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "*",
    };
    if (request.method === "OPTIONS") return new Response(null, { headers });
    paths.add(pathname);
    if (!/\/(trajectories|feedback)$/.test(pathname)) return answer(pathname);
    return Response.json(await store(request), { headers });
  });
  const page = practicePage(DEMO);
  await buildPage(page);
  const port = await freePort();
  served = await startPage(page, { port, edgeUrl: edge.origin });
  address = `http://localhost:${port}/`;
}, 120_000);
afterAll(async () => {
  await visitors?.close();
  await served?.stop();
  edge?.close();
});

test("people ask and rate until they are stopped, and the edge learns no task, verdict or seed", async () => {
  visitors = await Visitors.open(address, LIVE);
  const page = visitors.pages[0] as Page;
  // Loading the model is part of it, which takes long on a busy machine.
  await expect
    .poll(() => page.evaluate(() => window.wagglePage?.status().people.answered ?? 0), SLOW)
    .toBeGreaterThan(1);
  expect((await statusOf(page)).simulating).toBe(true);
  await visitors.stop();
  await expect.poll(async () => (await statusOf(page)).simulating, SLOW).toBe(false);
  const { people, errors, trajectories: practiced } = await statusOf(page);
  const { requests, answered, good, bad } = people;
  await expect.poll(() => [trajectories.length, feedback.length]).toEqual([requests, answered]);
  const up = feedback.filter(({ kind }) => kind === "thumb-up").length;
  expect([up, feedback.length - up]).toEqual([good, bad]);
  const thumbs = await visitors.reactions();
  const rated = thumbs.map(({ trajectoryId }) => trajectoryId);
  expect(new Set(rated)).toEqual(new Set(feedback.map(({ trajectoryId }) => trajectoryId)));
  const uploaded = new Set(trajectories.map(({ id }) => id));
  expect(rated.every((id) => uploaded.has(id))).toBe(true);
  expect(
    trajectories.every(({ task, assignmentId }) => task === null && assignmentId === null),
  ).toBe(true);
  expect(paths).not.toContain("/v1/assignments");
  expect({ errors, failed: people.failed, assigned: practiced.assigned }).toEqual({
    errors: [],
    failed: 0,
    assigned: 0,
  });
  expect((await visitors.statuses())[0]?.people.requests).toBe(requests);
});
