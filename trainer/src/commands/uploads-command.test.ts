import type { UnfinishedObjectsResponse } from "@waggle/protocol";
import { Command } from "commander";
import { expect, test } from "vitest";
import { addUploadsCommand } from "./uploads-command.ts";

const HASH = "a".repeat(64);
const UPLOAD = {
  sha256: HASH,
  parts: 3,
  sizeBytes: 100_663_296,
  lastPartAt: "2026-11-20T12:00:00.000Z",
};

/** Runs the command against an edge with these uploads. */
async function run(objects: UnfinishedObjectsResponse["objects"], ...args: string[]) {
  const out: string[] = [];
  const calls: string[] = [];
  const program = new Command().exitOverride();
  addUploadsCommand(program, {
    signal: new AbortController().signal,
    writeOut: (line) => out.push(line),
    environment: { WAGGLE_OPERATOR_CREDENTIAL: "operator", USER: "maren" },
    fetch: async (input, init) => {
      const { url, method, headers } = new Request(input, init);
      expect(headers.get("authorization")).toBe("Bearer operator");
      calls.push(`${method} ${new URL(url).pathname}`);
      return Response.json(method === "GET" ? { objects } : { parts: 3 });
    },
  });
  for (const command of program.commands) {
    command.exitOverride().configureOutput({ writeErr: () => {} });
  }
  await program.parseAsync(["node", "main.ts", "uploads", ...args]);
  return { out, calls };
}

test("lists unfinished uploads with their size and last part", async () => {
  const { out, calls } = await run([UPLOAD]);
  expect(calls).toEqual(["GET /v1/operator/unfinished-objects"]);
  expect(out[0]).toMatch(/^hash +parts +MB +last part$/);
  expect(out[1]).toMatch(new RegExp(`^${HASH} +3 +100\\.7 +2026-11-20T12:00:00\\.000Z$`));
  expect((await run([])).out).toEqual(["There are no unfinished uploads."]);
  expect((await run([UPLOAD], "--json")).out).toEqual([JSON.stringify(UPLOAD)]);
});

test("deletes the named ones, and refuses to delete none", async () => {
  const { out, calls } = await run([UPLOAD], "delete", HASH);
  expect(calls).toEqual([`DELETE /v1/operator/unfinished-objects/${HASH}`]);
  expect(out).toEqual(["deleted 1 uploads"]);
  await expect(run([UPLOAD], "delete")).rejects.toThrow("name the hashes of the uploads to delete");
  await expect(run([], "burn")).rejects.toThrow(/Allowed choices are list, delete/);
});
