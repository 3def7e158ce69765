import { DEFAULT_SITE, sha256 } from "@waggle/protocol";
import { expect, test } from "vitest";
import {
  bearerOf,
  channelOf,
  sameSecret,
  signToken,
  verifySession,
  verifyToken,
} from "./session-token.ts";

const [NEW, OLD] = ["n".repeat(32), "o".repeat(32)];
const now = (): number => Date.now();

test("a token proves its visitor with either secret, for its audience alone", async () => {
  const token = await signToken(
    "waggle-session",
    { site: DEFAULT_SITE, visitorId: "v1" },
    60,
    OLD,
    now(),
  );
  expect(await verifyToken("waggle-session", token, [NEW, OLD])).toEqual({
    site: DEFAULT_SITE,
    visitorId: "v1",
  });
  expect(await verifyToken("waggle-session", token, [NEW])).toBeNull();
  expect(await verifyToken("waggle-visit", token, [OLD])).toBeNull();
  expect(await verifyToken("waggle-session", `${token}x`, [OLD])).toBeNull();
  expect(await verifyToken("waggle-session", "no.token", [OLD])).toBeNull();
});

test("a token ends with its time, in seconds", async () => {
  const kept = await signToken(
    "waggle-session",
    { site: DEFAULT_SITE, visitorId: "v1" },
    60,
    NEW,
    now() - 30_000,
  );
  expect(await verifyToken("waggle-session", kept, [NEW])).toEqual({
    site: DEFAULT_SITE,
    visitorId: "v1",
  });
  const over = await signToken(
    "waggle-session",
    { site: DEFAULT_SITE, visitorId: "v1" },
    60,
    NEW,
    now() - 90_000,
  );
  expect(await verifyToken("waggle-session", over, [NEW])).toBeNull();
});

test("a session says whether its visitor is remembered", async () => {
  const remembered = await signToken(
    "waggle-session",
    { site: DEFAULT_SITE, visitorId: "v1" },
    60,
    NEW,
    now(),
  );
  expect(await verifySession(remembered, [NEW])).toEqual({
    site: DEFAULT_SITE,
    visitorId: "v1",
    siteKey: null,
    isRemembered: true,
  });
  const visit = await signToken(
    "waggle-visit-session",
    { site: DEFAULT_SITE, visitorId: "v2" },
    60,
    NEW,
    now(),
  );
  expect(await verifySession(visit, [NEW])).toEqual({
    site: DEFAULT_SITE,
    visitorId: "v2",
    siteKey: null,
    isRemembered: false,
  });
  const other = await signToken(
    "waggle-visit",
    { site: DEFAULT_SITE, visitorId: "v3" },
    60,
    NEW,
    now(),
  );
  expect(await verifySession(other, [NEW])).toBeNull();
});

test("a bearer token is one word of at most 4096 characters", () => {
  const of = (authorization?: string): string =>
    bearerOf(
      new Request(
        "https://edge.example",
        authorization === undefined ? {} : { headers: { authorization } },
      ),
    );
  expect(of("Bearer abc")).toBe("abc");
  expect(of(`Bearer ${"a".repeat(4096)}`)).toHaveLength(4096);
  for (const wrong of [
    undefined,
    "Basic abc",
    "Bearer a b",
    "Bearer",
    `Bearer ${"a".repeat(4097)}`,
  ]) {
    expect(() => of(wrong)).toThrow(expect.objectContaining({ code: "UNAUTHENTICATED" }) as object);
  }
});

test("secrets are compared whatever their lengths", async () => {
  expect(await sameSecret("abc", "abc")).toBe(true);
  expect(await sameSecret("abc", "abd")).toBe(false);
  expect(await sameSecret("abc", "abcd")).toBe(false);
});

test("the canary channel has its share of visitors, and a larger share keeps those it had", async () => {
  const visitors = Array.from({ length: 400 }, (_, i) => `visitor-${i}`);
  const canaries = async (share: number): Promise<string[]> => {
    const channels = await Promise.all(visitors.map((id) => channelOf(id, share)));
    return visitors.filter((_, i) => channels[i] === "canary");
  };
  expect([await canaries(0), await canaries(1)]).toEqual([[], visitors]);
  const few = await canaries(0.1);
  const many = await canaries(0.5);
  expect(few.length / 400).toBeCloseTo(0.1, 1);
  expect(many.length / 400).toBeCloseTo(0.5, 1);
  expect(few.filter((id) => !many.includes(id))).toEqual([]);
});

test("the canary share is a share of 2^32 positions of visitors", async () => {
  const position = Number.parseInt((await sha256("channel visitor")).slice(0, 8), 16);
  expect(await channelOf("visitor", position / 2 ** 32)).toBe("stable");
  expect(await channelOf("visitor", (position + 1) / 2 ** 32)).toBe("canary");
});
