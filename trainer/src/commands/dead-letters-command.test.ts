import { type DeadLetter, OPERATOR_NAME_HEADER } from "@waggle/protocol";
import { Command } from "commander";
import { expect, test } from "vitest";
import { addDeadLettersCommand } from "./dead-letters-command.ts";

const letterOf = (digit: string): DeadLetter => ({
  digest: digit.repeat(64),
  reason: "lease-failed",
  failedLeases: 5,
  groupId: null,
  sizeBytes: 900,
  receivedAt: "2026-11-20T12:00:00.000Z",
  diedAt: "2026-11-20T13:00:00.000Z",
});

/** Runs the command against an edge with these dead letters, one per page. */
async function run(letters: DeadLetter[], ...args: string[]) {
  const out: string[] = [];
  const calls: string[] = [];
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addDeadLettersCommand(program, {
    signal: new AbortController().signal,
    writeOut: (line) => out.push(line),
    environment: { WAGGLE_OPERATOR_CREDENTIAL: "operator", USER: "maren" },
    fetch: async (input, init) => {
      const { url, method, headers } = new Request(input, init);
      const { pathname, searchParams } = new URL(url);
      expect(headers.get("authorization")).toBe("Bearer operator");
      if (method === "GET") {
        const at = Number(searchParams.get("cursor") ?? 0);
        const nextCursor = at + 1 < letters.length ? String(at + 1) : null;
        return Response.json({ rows: letters.slice(at, at + 1), nextCursor });
      }
      expect(headers.get(OPERATOR_NAME_HEADER)).toBe(args.includes("--as") ? "Zo%C3%AB" : "maren");
      calls.push(`${method} ${pathname}`);
      return Response.json({});
    },
  });
  for (const command of program.commands) {
    command.exitOverride().configureOutput({ writeErr: () => {} });
  }
  await program.parseAsync(["node", "main.ts", "dead-letters", ...args]);
  return { out, calls };
}

test("lists every page with reason, count and times", async () => {
  const { out } = await run([letterOf("a"), letterOf("b")]);
  expect(out[0]).toMatch(/^digest +reason +failed leases +received +died$/);
  expect(out.slice(1).map((line) => line.slice(0, 64))).toEqual(["a".repeat(64), "b".repeat(64)]);
  expect((await run([])).out).toEqual(["There are no dead letters."]);
});

test("retries the named ones and deletes all", async () => {
  const named = await run([letterOf("a")], "retry", "a".repeat(64), "--as", "Zoë");
  expect(named.calls).toEqual([`POST /v1/operator/dead-letters/${"a".repeat(64)}/retry`]);
  expect(named.out).toEqual(["retried 1 dead letters"]);
  const all = await run([letterOf("a"), letterOf("b")], "delete", "--all");
  expect(all.calls).toEqual(
    ["a", "b"].map((digit) => `DELETE /v1/operator/dead-letters/${digit.repeat(64)}`),
  );
});

test("refuses an unknown action, and a retry without digests", async () => {
  await expect(run([], "burn")).rejects.toThrow(/Allowed choices are list, retry, delete/);
  await expect(run([letterOf("a")], "retry")).rejects.toThrow(
    "name digests to retry, or pass --all",
  );
});
