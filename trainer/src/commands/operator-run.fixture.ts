/** Runs operator commands against an edge that records the requests and gives one answer. */
import { OPERATOR_NAME_HEADER, SITE_HEADER } from "@waggle/protocol";
import { expect } from "vitest";
import { createProgram } from "./program.ts";

type Seen = {
  /** Method, path and query. */
  readonly call: string;
  readonly by: string;
  readonly site: string | null;
  readonly body: unknown;
};

/** What the command printed, and its requests, which must have the operator's credential. */
export async function runOperator(args: readonly string[], answer: unknown, status = 200) {
  const lines: string[] = [];
  const seen: Seen[] = [];
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: (line) => lines.push(line),
    writeError: () => {},
    environment: { WAGGLE_OPERATOR_CREDENTIAL: "secret", USER: "maren" },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { pathname, search } = new URL(request.url);
      const text = await request.text();
      expect(request.headers.get("authorization")).toBe("Bearer secret");
      seen.push({
        call: `${request.method} ${pathname}${search}`,
        by: decodeURIComponent(request.headers.get(OPERATOR_NAME_HEADER) ?? ""),
        site: request.headers.get(SITE_HEADER),
        body: text === "" ? null : JSON.parse(text),
      });
      return Response.json(answer, { status });
    },
  });
  await program.parseAsync(args, { from: "user" });
  return { lines, seen };
}
