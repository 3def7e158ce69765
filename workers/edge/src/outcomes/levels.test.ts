/** Outcomes of single turns and of conversations, from a report to the lease. */
import {
  DEFAULT_SITE,
  type LeasedOutcome,
  type LeasedTrajectory,
  type Outcome,
  type SiteMetrics,
} from "@waggle/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  ask,
  bindings,
  call,
  freshEdge,
  lease,
  makeUpload,
  openSession,
  type Upload,
  upload,
} from "../testing/edge.ts";
import { outcomeOf, reportAsPage, serverCredential } from "../testing/outcomes.ts";

const METRICS: SiteMetrics = {
  booked: { type: "boolean", better: "higher" },
  helpful: { type: "boolean", better: "higher", level: "turn" },
  rating: { type: "number", better: "higher", range: [1, 5], level: "conversation" },
};

let base = "";
let token = "";
let server = { token: "" };

beforeEach(async () => {
  Object.assign(bindings, {
    FEEDBACK_WAIT_SECONDS: "1",
    FEEDBACK_FROM: "outcome",
    METRICS: JSON.stringify(METRICS),
  });
  base = await freshEdge();
  token = (await openSession()).token;
  server = await serverCredential(DEFAULT_SITE);
});
afterEach(() => {
  Object.assign(bindings, { FEEDBACK_WAIT_SECONDS: "0", FEEDBACK_FROM: "thumb", METRICS: "{}" });
});

async function request(as = token): Promise<Upload> {
  const one = await makeUpload(base, null);
  await upload(as, one);
  return one;
}

type Edit = Partial<Outcome>;

const page = async (one: Upload, edit: Edit, as = token) =>
  (await reportAsPage(as, outcomeOf(one.trajectory, edit))).status;

async function fromServer(one: Upload, edit: Edit): Promise<void> {
  const body = { outcomes: [outcomeOf(one.trajectory, edit)] };
  expect(await ask("POST", "/v1/outcomes", { ...server, body })).toMatchObject({
    results: [{ status: "stored" }],
  });
}

/** What is leased by digest, once these requests are. */
async function leased(...expected: Upload[]) {
  const found = new Map<string, LeasedTrajectory>();
  await expect
    .poll(
      async () => {
        const { groups } = await lease();
        for (const one of groups.flatMap(({ trajectories }) => trajectories)) {
          found.set(one.digest, one);
        }
        return [...found.keys()].toSorted();
      },
      { timeout: 15_000, interval: 100 },
    )
    .toEqual(expected.map(({ digest }) => digest).toSorted());
  return ({ digest }: Upload) =>
    found.get(digest)?.outcomes?.map((outcome): Omit<LeasedOutcome, "declared"> => {
      const { declared: _, ...rest } = outcome;
      return rest;
    });
}

test("each turn has a value of its own, and a later one replaces that of its turn", async () => {
  const one = await request();
  const later = "2026-11-20T13:00:00.000Z";
  expect(await page(one, { metric: "helpful", value: true, turn: 1 })).toBe(200);
  expect(await page(one, { metric: "helpful", value: true, turn: 3 })).toBe(200);
  expect(await page(one, { metric: "helpful", value: false, turn: 3, at: later })).toBe(200);
  expect(await page(one, { metric: "booked" })).toBe(200);
  const source = "page";
  expect((await leased(one))(one)).toEqual([
    { metric: "booked", value: true, source },
    { metric: "helpful", value: true, source, turn: 1 },
    { metric: "helpful", value: false, source, turn: 3 },
  ]);
});

test.for([
  ["a turn that is missing", { metric: "helpful" }, /one turn of a request; name the turn/],
  ["a turn of a request", { turn: 1 }, /not about a turn; leave turn out/],
  ["a turn of a conversation", { metric: "rating", value: 3, turn: 1 }, /not about a turn/],
  ["a conversation of a request", { conversation: [] }, /not about a conversation; leave/],
  ["turn 0", { metric: "helpful", turn: 0 }, /turn/],
  ["half a turn", { metric: "helpful", turn: 1.5 }, /turn/],
  [
    "21 earlier requests",
    {
      metric: "rating",
      value: 3,
      conversation: Array.from({ length: 21 }, () => crypto.randomUUID()),
    },
    /conversation/,
  ],
  ["ids that are none", { metric: "rating", value: 3, conversation: ["x"] }, /conversation/],
] as const)("%s is refused and not stored", async ([, edit, message]) => {
  const one = await request();
  const { status, body } = await reportAsPage(token, outcomeOf(one.trajectory, edit));
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toMatch(message);
  expect(await bindings.DB.prepare("SELECT COUNT(*) AS n FROM outcomes").first("n")).toBe(0);
});

test.each(["page", "server"] as const)(
  "an outcome from the %s is joined to each request of the conversation that it names",
  async (source) => {
    const [first, second, silent, last] = [
      await request(),
      await request(),
      await request(),
      await request(),
    ];
    const conversation = [second, first].map(({ trajectory }) => trajectory.id);
    const edit = { metric: "rating", value: 4, conversation };
    await (source === "page" ? page(last, edit) : fromServer(last, edit));
    const of = await leased(first, second, last);
    const rating = { metric: "rating", value: 4, source };
    expect(of(last)).toEqual([rating]);
    expect(of(second)).toEqual([{ ...rating, place: 1 }]);
    expect(of(first)).toEqual([{ ...rating, place: 2 }]);
    expect(of(silent)).toBeUndefined();
  },
);

test("a request that arrives after the outcome of its conversation has it too", async () => {
  const [first, last] = [await makeUpload(base, null), await makeUpload(base, null)];
  const edit = { metric: "rating", value: 2, conversation: [first.trajectory.id] };
  expect(await page(last, edit)).toBe(200);
  await upload(token, first);
  const of = await leased(first);
  expect(of(first)).toEqual([{ metric: "rating", value: 2, source: "page", place: 1 }]);
});

test("a page names no request of another visitor, neither for itself nor for the server", async () => {
  const victim = await request();
  const stranger = (await openSession()).token;
  const own = await request(stranger);
  const conversation = [victim.trajectory.id];
  expect(await page(own, { metric: "rating", value: 1, conversation }, stranger)).toBe(200);
  await fromServer(own, { metric: "rating", value: 5 });
  const of = await leased(own);
  expect(
    of(own)
      ?.map(({ source }) => source)
      .toSorted(),
  ).toEqual(["page", "server"]);
  // The control: with an outcome of its own the request is leased, without that of the stranger.
  expect(await page(victim, {})).toBe(200);
  expect((await leased(victim))(victim)?.map(({ metric }) => metric)).toEqual(["booked"]);
});

test("links go with the outcome and with the request", async () => {
  const [first, last] = [await request(), await request()];
  const conversation = [first.trajectory.id];
  expect(await page(last, { metric: "rating", value: 4, conversation })).toBe(200);
  const links = () => bindings.DB.prepare("SELECT COUNT(*) AS n FROM conversationLinks").first("n");
  expect(await links()).toBe(1);
  expect((await call("DELETE", "/v1/visitor", { token })).status).toBe(200);
  expect(await links()).toBe(0);
});

test("an outcome has at most 20 links, and none if it is refused", async () => {
  const [one, other] = [await request(), await request()];
  const outcome = outcomeOf(one.trajectory, { metric: "rating", value: 4 });
  const links = () => bindings.DB.prepare("SELECT COUNT(*) AS n FROM conversationLinks").first("n");
  const send = async (edit: Edit) => (await reportAsPage(token, { ...outcome, ...edit })).status;
  const strangers = () => Array.from({ length: 20 }, () => crypto.randomUUID());
  expect(await send({ conversation: strangers() })).toBe(200);
  expect(await send({ conversation: strangers() })).toBe(200);
  expect(await links()).toBe(20);
  const trajectoryId = other.trajectory.id;
  expect(await send({ trajectoryId, conversation: strangers() })).toBe(409);
  expect(await links()).toBe(20);
  await ask("DELETE", "/v1/visitor", { token });
  expect(await links()).toBe(0);
});
