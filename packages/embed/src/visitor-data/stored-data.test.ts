/** Pages of the stored data, as the edge writes them. */
import { expect, test } from "vitest";
import { readStored } from "./stored-data.ts";

test("pages add up to JSON lines, also if the edge has nothing of a kind", async () => {
  const pages = [
    '{"kind":"visitor","trajectories":1,"feedback":0}\n{"kind":"next","after":"feedback."}\n',
    '{"kind":"next","after":"outcome."}\n',
    '{"kind":"outcome"}\n{"kind":"end"}\n',
  ];
  const session = { request: async () => new Response(pages.shift() ?? null) };
  let page = await readStored(session, null);
  let { text } = page;
  while (page.next !== null) {
    page = await readStored(session, page.next);
    text += page.text;
  }
  expect(text).toBe('{"kind":"visitor","trajectories":1,"feedback":0}\n{"kind":"outcome"}\n');
});
