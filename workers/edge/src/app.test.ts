import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { ORIGIN } from "./testing/edge.ts";

test("responses name the origin of a configured site, and no other", async () => {
  const allowedFor = async (origin: string) => {
    const reply = await SELF.fetch(`${ORIGIN}/nowhere`, { headers: { origin } });
    return reply.headers.get("access-control-allow-origin");
  };
  expect(await allowedFor("https://site.example")).toBe("https://site.example");
  expect(await allowedFor("https://evil.example")).toBeNull();
  expect(await allowedFor("https://site.example.evil.example")).toBeNull();
});
