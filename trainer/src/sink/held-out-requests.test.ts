/** Which requests are held out: chosen once, one of each visitor, and gone when the edge does not give them any more. */
import { type LeasedTrajectory, trajectoryDigest } from "@waggle/protocol";
import { beforeAll, expect, test } from "vitest";
import { randomTrajectory, TINY, TINY_BASE } from "../edge-training/training.fixture.ts";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { heldOutRequests } from "./held-out-requests.ts";

const POLICY = { ...TINY, baseModel: TINY_BASE };
const OPTIONS = { most: 8, seed: 5 };

let requests: LeasedTrajectory[];
beforeAll(async () => {
  requests = await Promise.all(Array.from({ length: 40 }, (_, i) => requestOf(i, i)));
});

async function requestOf(
  seed: number,
  visitor: number,
  edit: object = {},
): Promise<LeasedTrajectory> {
  const id = `00000000-0000-4000-8000-${String(seed).padStart(12, "0")}`;
  const consent = { version: "1", scopes: ["collect", "train"], grantedAt: "2026-01-01T00:00:00Z" };
  const trajectory = { ...randomTrajectory(seed), id, consent, ...edit } as never;
  return {
    digest: await trajectoryDigest(trajectory),
    visitorId: `10000000-0000-4000-8000-${String(visitor).padStart(12, "0")}`,
    receivedAt: "2026-01-01T00:00:02.000Z",
    trajectory,
    feedback: [],
  };
}

function edgeWith(given: readonly LeasedTrajectory[]) {
  const edge = new FakeEdge([], TINY_BASE);
  edge.requests = given;
  return edge;
}

const chosen = async (
  edge: FakeEdge,
  earlier: readonly string[] = [],
  options = OPTIONS,
): Promise<string[]> =>
  (await heldOutRequests(edge.client(), POLICY, earlier, options)).map(({ digest }) => digest);

test("the choice depends on the seed and the requests, not on their order", async () => {
  const first = await chosen(edgeWith(requests));
  expect(first).toHaveLength(OPTIONS.most);
  expect(await chosen(edgeWith(requests.toReversed()))).toEqual(first);
  const other = await chosen(edgeWith(requests), [], { ...OPTIONS, seed: 6 });
  expect(other).not.toEqual(first);
});

test("a set stays when better placed requests come", async () => {
  const first = await chosen(edgeWith(requests.slice(0, 10)));
  expect(await chosen(edgeWith(requests), first)).toEqual(first);
});

test("a visitor has at most one request in the set", async () => {
  const many = await Promise.all(Array.from({ length: 30 }, (_, i) => requestOf(i, i % 3)));
  expect(await chosen(edgeWith(many))).toHaveLength(3);
});

test("a withdrawn request leaves the set, and another one takes its place", async () => {
  const edge = edgeWith(requests);
  const first = await chosen(edge);
  const [withdrawn = ""] = first;
  edge.forgotten.add(withdrawn);
  const next = await chosen(edge, first);
  expect(next).toHaveLength(OPTIONS.most);
  expect(next).not.toContain(withdrawn);
  expect(next.slice(0, -1)).toEqual(first.slice(1));
});

test.each<[string, object]>([
  ["of another base model", { baseModel: "c".repeat(64) }],
  ["of a practice task", { task: { environment: "shop", seed: 1, split: "train" } }],
  ["without a prompt", { segments: randomTrajectory(1).segments.slice(1) }],
  ["with an unknown token", { segments: promptOf([99]) }],
  ["that fills the context", { segments: promptOf(Array.from({ length: 128 }, () => 1)) }],
])("a request %s is not taken", async (_, edit) => {
  expect(await chosen(edgeWith([await requestOf(1, 1, edit)]))).toEqual([]);
});

function promptOf(tokenIds: readonly number[]): readonly object[] {
  const [given, ...sampled] = randomTrajectory(1).segments;
  return [{ ...given, tokenIds }, ...sampled];
}

test("a record that is not the one that was asked for is not taken", async () => {
  const [one, other] = requests as [LeasedTrajectory, LeasedTrajectory];
  expect(await chosen(edgeWith([{ ...one, trajectory: other.trajectory }]))).toEqual([]);
});

test("few requests are read for each free place", async () => {
  const edge = edgeWith(await Promise.all(requests.map((_, i) => requestOf(i, i, { task: {} }))));
  const client = edge.client();
  let reads = 0;
  const counting = {
    ...client,
    request: (digest: string) => {
      reads += 1;
      return client.request(digest);
    },
  };
  expect(await heldOutRequests(counting, POLICY, [], OPTIONS)).toEqual([]);
  expect(reads).toBe(2 * OPTIONS.most);
});
