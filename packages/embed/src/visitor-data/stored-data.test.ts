/** Pages of the stored data, as the edge writes them. */
import { expect, test } from "vitest";
import { readStored } from "./stored-data.ts";

test("pages add up to JSON lines, also if the edge has nothing of a kind", async () => {
  const pages = [
    '{"kind":"visitor","trajectories":1,"feedback":0}\n{"kind":"next","after":"feedback."}\n',
    '{"kind":"next","after":"outcome."}\n',
    '{"kind":"outcome"}\n{"kind":"end"}\n',
  ];
  const session = { request: async () => new Response(pages.shift() ?? null), earlier: () => [] };
  let page = await readStored(session, null);
  let { text } = page;
  while (page.next !== null) {
    page = await readStored(session, page.next);
    text += page.text;
  }
  expect(text).toBe('{"kind":"visitor","trajectories":1,"feedback":0}\n{"kind":"outcome"}\n');
});

test("the data of all ids of a visitor are one file, and its first page counts all", async () => {
  const asked: string[] = [];
  /** An edge with one record of each of these ids. */
  const sessionOf = (id: string) => ({
    request: async (path: string) => {
      asked.push(`${id} ${path}`);
      return new Response(
        path.endsWith("trajectory.")
          ? `{"kind":"trajectory","of":"${id}"}\n{"kind":"end"}\n`
          : `{"kind":"visitor","of":"${id}","trajectories":1,"feedback":2}\n{"kind":"next","after":"trajectory."}\n`,
      );
    },
  });
  const session = { ...sessionOf("new"), earlier: () => [sessionOf("old"), sessionOf("oldest")] };
  let page = await readStored(session, null);
  expect(page.counts).toEqual({ trajectories: 3, feedback: 6 });
  let { text } = page;
  while (page.next !== null) {
    page = await readStored(session, page.next);
    expect(page.counts).toBeNull();
    text += page.text;
  }
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject(
    ["new", "old", "oldest"].flatMap((of) => [
      { kind: "visitor", of },
      { kind: "trajectory", of },
    ]),
  );
});
