/**
 * The page of a live run with simulated people, in Chromium with the nano model: built, served and used as the loop does it, with
 * people and the site's backend in separate processes. The edge is a list of answers that records what it gets.
 */
import { gunzipSync } from "node:zlib";
import { type Feedback, type Outcome, type Trajectory, UploadRequest } from "@waggle/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBackend } from "../../packages/dev/src/backend/backend-process.ts";
import { buildPage, livePage, startPage } from "../../packages/dev/src/pages/pages.ts";
import { People } from "../../packages/dev/src/people/people-process.ts";
import type { ManagedProcess } from "../../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { DEMO } from "../fixtures/demo.ts";
import { type LocalServer, localServer } from "../fixtures/local-server.ts";
import { edgeAnswers } from "../fixtures/recorded-edge.ts";
import { isLong } from "../fixtures/long.ts";

/** How people answer. They say what they think. */
const HABITS = { answering: 1, wrong: 0, seed: 0 };
/** Where the backend has the site's state, and people their wishes. */
const WISHES = { environment: DEMO.source ?? "", project: DEMO.project };

const SLOW = { timeout: 240_000 };

const paths = new Set<string>();
const trajectories: Trajectory[] = [];
const feedback: Feedback[] = [];
const outcomes: Outcome[] = [];
const printed: string[] = [];
const onLine = (name: string, line: string): void => void printed.push(`${name} ${line}`);
let edge: LocalServer;
let served: ManagedProcess;
let address: string;
let backend: ManagedProcess;
let backendUrl: string;
let people: People;

/** Stores uploads and feedback. */
async function store(request: Request): Promise<object> {
  const body = Buffer.from(await request.arrayBuffer());
  const isPacked = request.headers.get("content-encoding") === "gzip";
  const json: unknown = JSON.parse((isPacked ? gunzipSync(body) : body).toString());
  if (request.url.endsWith("/v1/feedback")) {
    feedback.push(json as Feedback);
    return {};
  }
  if (request.url.endsWith("/v1/outcomes")) {
    expect(request.headers.get("authorization")).toBe("Bearer of-the-server");
    outcomes.push(...(json as { outcomes: Outcome[] }).outcomes);
    return { results: [] };
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
    if (!/\/(trajectories|feedback|outcomes)$/.test(pathname)) return answer(pathname);
    return Response.json(await store(request), { headers });
  });
  const page = livePage(DEMO);
  await buildPage(page);
  const port = await freePort();
  served = await startPage(page, { port, edgeUrl: edge.origin });
  address = `http://localhost:${port}/`;
  const backendPort = await freePort();
  backendUrl = `http://127.0.0.1:${backendPort}`;
  backend = await startBackend(
    { ...WISHES, edgeUrl: edge.origin, port: backendPort },
    "of-the-server",
    onLine,
  );
}, 240_000);
afterAll(async () => {
  await people?.close();
  await backend?.stop();
  await served?.stop();
  edge?.close();
});

/** Lets people come until some have answered, and the last ones finish. */
async function livePeople(signal: "thumb" | "outcome") {
  const options = {
    ...WISHES,
    page: address,
    backend: backendUrl,
    pages: 1,
    device: "wasm",
  } as const;
  people = People.start({ ...options, people: { ...HABITS, signal } }, onLine);
  const status = async () => (await people.statuses())[0];
  // Loading the model is part of it, which takes long on a busy machine.
  // After ten requests a new visitor comes.
  await expect.poll(async () => (await status())?.people.requests ?? 0, SLOW).toBeGreaterThan(11);
  expect((await status())?.simulating).toBe(true);
  await people.stop();
  const last = await status();
  const reactions = await people.reactions();
  await expect.poll(async () => (await status())?.outbox.waiting, SLOW).toBe(0);
  return { last, reactions };
}

test("people ask and rate until they are stopped, and the edge learns no task, verdict or seed", async () => {
  const { last, reactions } = await livePeople("thumb");
  await expect.poll(() => feedback.length, SLOW).toBe(reactions.length);
  await people.close();
  expect(last).toMatchObject({ simulating: false, errors: [], trajectories: { assigned: 0 } });
  const { requests, answered, good, bad, failed } = last?.people ?? {};
  expect({ failed, answered }).toEqual({ failed: 0, answered: reactions.length });
  await expect.poll(() => trajectories.length, SLOW).toBe(requests);
  const up = feedback.filter(({ kind }) => kind === "thumb-up").length;
  expect([up, feedback.length - up]).toEqual([good, bad]);
  const rated = reactions.map(({ trajectoryId }) => trajectoryId);
  expect(new Set(rated)).toEqual(new Set(feedback.map(({ trajectoryId }) => trajectoryId)));
  const uploaded = new Set(trajectories.map(({ id }) => id));
  expect(rated.every((id) => uploaded.has(id))).toBe(true);
  expect(
    trajectories.every(({ task, assignmentId }) => task === null && assignmentId === null),
  ).toBe(true);
  // The tools of the page ran at the site's backend.
  expect(
    trajectories.some(({ turns }) => turns.some(({ toolCalls }) => toolCalls.length > 0)),
  ).toBe(true);
  expect(paths).not.toContain("/v1/assignments");
  expect(paths).not.toContain("/v1/outcomes");
  expect(printed.filter((line) => /error/i.test(line))).toEqual([]);
});

// packages/dev/src/backend has the report of an outcome in npm test.
test.runIf(isLong())(
  "outcomes come from the site's backend with its credential, and never from a page",
  async () => {
    const { last, reactions } = await livePeople("outcome");
    await people.close();
    expect(outcomes.map(({ trajectoryId, value }) => [trajectoryId, value])).toHaveLength(
      reactions.length,
    );
    expect(outcomes.map(({ trajectoryId }) => trajectoryId)).toEqual(
      reactions.map(({ trajectoryId }) => trajectoryId),
    );
    expect(outcomes.filter(({ value }) => value === true)).toHaveLength(last?.people.good ?? -1);
    expect(paths).not.toContain("/v1/visitor/outcomes");
  },
);
