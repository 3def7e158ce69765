import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { bindings, ORIGIN } from "./testing/edge.ts";

test("responses name the origin of a configured site, and no other", async () => {
  const allowedFor = async (origin: string) => {
    const reply = await SELF.fetch(`${ORIGIN}/nowhere`, { headers: { origin } });
    return reply.headers.get("access-control-allow-origin");
  };
  expect(await allowedFor("https://site.example")).toBe("https://site.example");
  expect(await allowedFor("https://evil.example")).toBeNull();
  expect(await allowedFor("https://site.example.evil.example")).toBeNull();
});

test("every response forbids a browser to show, run, frame or keep it", async () => {
  const token = bindings.TRAINER_CREDENTIAL;
  const of = async (path: string, init: RequestInit = {}) =>
    (await SELF.fetch(ORIGIN + path, init)).headers;
  const answers = [
    await of("/openapi.json"),
    await of("/nowhere"),
    await of("/v1/sessions", { method: "POST", body: "{" }),
    await of("/v1/policy", { method: "OPTIONS", headers: { origin: "https://site.example" } }),
    await of(`/v1/objects/${"0".repeat(64)}`),
    await of("/v1/trainer/policies", { headers: { authorization: "Bearer wrong" } }),
  ];
  for (const headers of answers) {
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "strict-transport-security": "max-age=31536000",
    });
  }
  const authorized = await of("/v1/trainer/control", {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(authorized.get("cache-control")).toBe("no-store");
});
