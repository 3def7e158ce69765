import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createProgram } from "./program.ts";

const VISITOR = "8f14e45f-ceea-467f-a8f1-5d2b5f0f0a02";

/** Runs a command against an edge that responds with this answer. */
async function run(answer: () => Response, ...args: string[]) {
  const out: string[] = [];
  const asked: string[] = [];
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: (line) => out.push(line),
    writeError: () => undefined,
    environment: { WAGGLE_OPERATOR_CREDENTIAL: "secret" },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { pathname } = new URL(request.url);
      asked.push(`${request.method} ${pathname} ${request.headers.get("authorization")}`);
      return answer();
    },
  });
  await program.parseAsync(["node", "main.ts", ...args]);
  return { out, asked };
}

async function freshFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-visitor-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, "visitor.jsonl");
}

test("consent prints a table by version", async () => {
  const versions = [
    { version: "2026-11", trajectories: 12, visitors: 3 },
    { version: null, trajectories: 4, visitors: 1 },
  ];
  const { out } = await run(() => Response.json({ versions }), "consent");
  expect(out).toEqual([
    "version  trajectories  visitors",
    "2026-11  12            3",
    "unknown  4             1",
  ]);
});

const RESPONSES = {
  requests: 200,
  bySignal: [
    { signal: "thumb", requests: 15 },
    { signal: "outcome:booked", requests: 50 },
  ],
  byStratum: [{ stratum: "new webgpu", requests: 120, answered: 6 }],
};
const SUMMARY = {
  trajectories: { received: 0, waiting: 0, leased: 0, learned: 0, rejected: 0, skipped: 0 },
  rejectedByReason: [],
  byVersion: [],
  feedback: [],
  visitors: 0,
  stable: 0,
  canary: 0,
};

test("responses prints counts and shares by signal and by kind of request", async () => {
  const answer = () => Response.json({ ...SUMMARY, responses: RESPONSES });
  const { out } = await run(answer, "responses");
  expect(out).toEqual([
    "signal          with it  requests  share",
    "thumb           15       200       7.5 %",
    "outcome:booked  50       200       25.0 %",
    "",
    "visitor and device  with feedback  requests  share",
    "new webgpu          6              120       5.0 %",
  ]);
  const { out: json } = await run(answer, "responses", "--json");
  expect(JSON.parse(json[0] ?? "")).toEqual(RESPONSES);
});

test("responses says that an edge of the previous release does not count them", async () => {
  await expect(run(() => Response.json(SUMMARY), "responses")).rejects.toThrow(
    /does not count requests with feedback; deploy/,
  );
});

test("deletes a visitor by id, with the operator's credential", async () => {
  const answer = { deletedTrajectories: 2, deletedFeedback: 1, learnedBy: [4] };
  const { out, asked } = await run(() => Response.json(answer), "delete-visitor", VISITOR);
  expect(asked).toEqual([`DELETE /v1/operator/visitors/${VISITOR} Bearer secret`]);
  expect(JSON.parse(out[0] ?? "")).toEqual(answer);
});

test("writes a complete export", async () => {
  const file = await freshFile();
  const text = `${JSON.stringify({ kind: "visitor" })}\n${JSON.stringify({ kind: "end", lines: 1 })}\n`;
  await run(() => new Response(text), "export-visitor", VISITOR, "--out", file);
  expect(await readFile(file, "utf8")).toBe(text);
});

test.each([
  '{"kind":"visitor"}\n',
  '{"kind":"visitor"}\n{"kind":"tra',
  '{"kind":"end","lines":7}\n',
  "",
])("a truncated export is refused and leaves no file: %j", async (text) => {
  const file = await freshFile();
  await expect(
    run(() => new Response(text), "export-visitor", VISITOR, "--out", file),
  ).rejects.toMatchObject({ code: "SCHEMA_INVALID" });
  await expect(readFile(file)).rejects.toMatchObject({ code: "ENOENT" });
});

test("deletions names the versions that learned, and the roll-back that withdraws them", async () => {
  const versions = [
    { version: 4, status: "canary", trajectories: 3 },
    { version: 3, status: "stable", trajectories: 2 },
    { version: 2, status: "rolled-back", trajectories: 2 },
  ];
  const answer = { visitors: 2, learned: 5, versions };
  const { out, asked } = await run(() => Response.json(answer), "deletions");
  expect(asked).toEqual(["GET /v1/operator/deletions Bearer secret"]);
  expect(out).toEqual([
    "2 visitors were forgotten. Steps had learned from 5 of their trajectories.",
    "version  status       trajectories",
    "4        canary       3",
    "3        stable       2",
    "2        rolled-back  2",
    "waggle roll-back 3 withdraws these versions. Training goes on from the one before.",
  ]);
  const json = await run(() => Response.json(answer), "deletions", "--json");
  expect(JSON.parse(json.out[0] ?? "")).toEqual(answer);
});

test.each([[[]], [[{ version: 2, status: "rolled-back", trajectories: 2 }]]])(
  "deletions suggests no roll-back if no version in use learned: %j",
  async (versions) => {
    const answer = { visitors: 1, learned: 2, versions };
    const { out } = await run(() => Response.json(answer), "deletions");
    expect(out.at(-1)).toBe("No version in use learned from them.");
  },
);
