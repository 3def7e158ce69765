/** A fake server that replays recorded responses, matched by path and body. */
import { readFileSync } from "node:fs";
import { canonicalJson } from "@waggle/protocol";

type Exchange = { readonly path: string; readonly request: unknown; readonly response: unknown };

export type RecordedServer = {
  readonly fetch: typeof globalThis.fetch;
  readonly served: () => number;
};

/** Reads the recording; a request that was not recorded is an error. */
export function recordedServer(file: string | URL): RecordedServer {
  const exchanges = JSON.parse(readFileSync(file, "utf8")) as readonly Exchange[];
  let served = 0;
  return {
    served: () => served,
    fetch: async (input, init) => {
      const path = new URL(input instanceof Request ? input.url : input).pathname;
      const request = canonicalJson(JSON.parse(init?.body as string));
      const found = exchanges.find(
        (each) => each.path === path && canonicalJson(each.request) === request,
      );
      if (found === undefined) {
        return Response.json(
          { error: { message: `not recorded: ${path} ${request.slice(0, 200)}` } },
          { status: 400 },
        );
      }
      served += 1;
      return Response.json(found.response);
    },
  };
}
