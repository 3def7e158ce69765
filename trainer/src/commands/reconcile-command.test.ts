import type { Finding, ReconcileResponse } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createProgram } from "./program.ts";

const finding = (kind: Finding["kind"], name: string, repaired = false): Finding => ({
  kind,
  name,
  detail: "",
  repaired,
});

const PAGES: ReconcileResponse[] = [
  { checked: 500, found: [finding("object-without-row", "a", true)], nextCursor: "objects:a" },
  { checked: 20, found: [finding("object-without-row", "b", true)], nextCursor: "rows:" },
  { checked: 3, found: [finding("row-without-object", "c")], nextCursor: null },
];

/** Runs the command against an edge that answers with `pages`; after them it refuses. */
async function run(pages: readonly ReconcileResponse[], ...args: string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const bodies: unknown[] = [];
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: (line) => out.push(line),
    writeError: (line) => errors.push(line),
    environment: { WAGGLE_OPERATOR_CREDENTIAL: "secret" },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      expect(new URL(request.url).pathname).toBe("/v1/operator/reconcile");
      expect(request.headers.get("authorization")).toBe("Bearer secret");
      const page = pages[bodies.length];
      bodies.push(await request.json());
      const error = { error: { code: "FORBIDDEN", message: "no" } };
      return page === undefined ? Response.json(error, { status: 403 }) : Response.json(page);
    },
  });
  const failure = await program.parseAsync(["reconcile", ...args], { from: "user" }).then(
    () => null,
    (error: unknown) => error,
  );
  return { out, errors, bodies, failure };
}

test("compares every page without repairs and sums up what was found by kind", async () => {
  const { out, bodies, failure } = await run(PAGES);
  expect(failure).toBeNull();
  expect(bodies).toEqual([
    { cursor: null, repair: false },
    { cursor: "objects:a", repair: false },
    { cursor: "rows:", repair: false },
  ]);
  expect(out).toEqual([
    "Compared 523 entries.",
    "what                               found  repaired",
    "trajectory objects without a row   2      2",
    "trajectory rows without an object  1      0",
  ]);
});

test("with --json prints each finding and a last line with the counts; --repair asks for repairs", async () => {
  const { out, bodies } = await run(PAGES, "--json", "--repair");
  expect(bodies[0]).toEqual({ cursor: null, repair: true });
  expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([
    ...PAGES.flatMap(({ found }) => found),
    {
      checked: 523,
      repair: true,
      kinds: {
        "object-without-row": { found: 2, repaired: 2 },
        "row-without-object": { found: 1, repaired: 0 },
      },
    },
  ]);
});

test("a comparison that stops prints where to go on, and goes on there", async () => {
  const stopped = await run(PAGES.slice(0, 2));
  expect(stopped.failure).toMatchObject({ code: "FORBIDDEN" });
  expect(stopped.errors).toEqual(["The comparison stopped. Go on with --from 'rows:'."]);
  const { bodies, out } = await run(PAGES.slice(2), "--from", "rows:");
  expect(bodies).toEqual([{ cursor: "rows:", repair: false }]);
  expect(out[0]).toBe("Compared 3 entries.");
});

test("whole data is one sentence", async () => {
  const { out } = await run([{ checked: 7, found: [], nextCursor: null }]);
  expect(out).toEqual(["Compared 7 entries. Everything fits."]);
});
