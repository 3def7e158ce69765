import { OPERATOR_NAME_HEADER, SITE_HEADER, WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createOperatorApi } from "./operator-api.ts";

type Seen = { url: string; authorization: string | null; method: string };

function edgeThat(answer: () => Response | Promise<Response>) {
  const seen: Seen[] = [];
  const api = createOperatorApi("https://edge", "secret", async (input, init) => {
    const request = new Request(input, init);
    seen.push({
      url: request.url,
      authorization: request.headers.get("authorization"),
      method: request.method,
    });
    return answer();
  });
  return { api, seen };
}

test("empty filters are not sent, and the credential is", async () => {
  const { api, seen } = edgeThat(() => Response.json({ rows: [], nextCursor: null }));
  await api.trajectories({ status: "learned", version: "", reason: undefined, limit: 20 });
  expect(seen).toEqual([
    {
      url: "https://edge/v1/operator/trajectories?status=learned&limit=20",
      authorization: "Bearer secret",
      method: "GET",
    },
  ]);
});

test("an error keeps the edge's code, and an unreachable edge is a retryable NETWORK error", async () => {
  const refused = edgeThat(() =>
    Response.json({ error: { code: "UNAUTHENTICATED", message: "no" } }, { status: 401 }),
  );
  await expect(refused.api.summary()).rejects.toMatchObject({
    code: "UNAUTHENTICATED",
    retryable: false,
  });
  const away = edgeThat(() => Promise.reject(new TypeError("Failed to fetch")));
  const error: unknown = await away.api.summary().catch((reason: unknown) => reason);
  expect(WaggleError.is(error, "NETWORK") && error.retryable).toBe(true);
});

test("an export is signed with the operator's name for the audit log", async () => {
  let name: string | null = null;
  const answer: typeof fetch = async (input, init) => {
    name = new Request(input, init).headers.get(OPERATOR_NAME_HEADER);
    return new Response("");
  };
  const api = createOperatorApi("https://edge", "secret", answer, () => "Zoë");
  await api.exportVisitor("00000000-0000-4000-8000-000000000000");
  expect(name).toBe("Zo%C3%AB");
});

test("every request names the chosen site, and none without a choice", async () => {
  const seen: (string | null)[] = [];
  const answer: typeof fetch = async (input, init) => {
    seen.push(new Request(input, init).headers.get(SITE_HEADER));
    return Response.json({ rows: [], nextCursor: null });
  };
  for (const site of ["desk", null]) {
    await createOperatorApi("https://edge", "secret", answer, () => "", site).trajectories({});
  }
  expect(seen).toEqual(["desk", null]);
});

test("a response with an unexpected shape is an error", async () => {
  const { api } = edgeThat(() => Response.json({ stable: 1 }));
  await expect(api.policies()).rejects.toThrow(/invalid/i);
});
