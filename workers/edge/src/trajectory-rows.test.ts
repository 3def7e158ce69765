import { beforeEach, expect, test } from "vitest";
import { bindings, freshEdge, openSession, type Upload, work, rows } from "./testing/edge.ts";
import { listRows, TrajectoryFilter } from "./trajectory-rows.ts";

const { DB } = bindings;

let examples: Upload[] = [];

beforeEach(async () => {
  const baseModel = await freshEdge();
  const { token } = await openSession();
  examples = [];
  for (let i = 0; i < 4; i += 1) examples.push(await work(token, baseModel));
  const judge = DB.prepare("UPDATE trajectories SET success = ?2, status = ?3 WHERE digest = ?1");
  await DB.batch([
    judge.bind(examples[0]?.digest ?? "", 1, "learned"),
    judge.bind(examples[1]?.digest ?? "", 0, "learned"),
    judge.bind(examples[2]?.digest ?? "", 1, "learned"),
  ]);
});

const list = (query: object) => listRows(rows, TrajectoryFilter.parse(query));
const digestsFor = async (query: object): Promise<string[]> =>
  (await list(query)).rows.map(({ digest }) => digest).toSorted();
const digestsAt = (...indices: readonly number[]): string[] =>
  indices.map((i) => examples[i]?.digest ?? "").toSorted();

test("several filters hold together", async () => {
  expect(await digestsFor({ version: 0, success: "true", status: "learned" })).toEqual(
    digestsAt(0, 2),
  );
  expect(await digestsFor({ version: 0, success: "false", status: "learned" })).toEqual(
    digestsAt(1),
  );
  expect(await digestsFor({ version: 0, status: "waiting" })).toEqual(digestsAt(3));
  expect(await digestsFor({ version: 1, success: "true" })).toEqual([]);
});

test("a filtered list continues after its cursor", async () => {
  const filter = { version: 0, limit: 1 };
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof list>> = await list(
      cursor === null ? filter : { ...filter, cursor },
    );
    seen.push(...page.rows.map(({ digest }) => digest));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(seen.toSorted()).toEqual(digestsAt(0, 1, 2, 3));
});
