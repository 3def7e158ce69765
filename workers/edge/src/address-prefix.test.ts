import { expect, test } from "vitest";
import { addressPrefix } from "./address-prefix.ts";

const SECRET = "a secret of the tests that has 40 letters";

function prefixOf(address: string | null, secret = SECRET): Promise<string> {
  const headers = address === null ? {} : { "cf-connecting-ip": address };
  return addressPrefix(new Request("https://edge.example/", { headers }), secret, "default");
}

test.each([
  ["IPv4 addresses of one /24", "203.0.113.7", "203.0.113.250"],
  ["IPv6 addresses of one /64", "2001:db8:1:2::1", "2001:0db8:0001:0002:ffff:ffff:ffff:ffff"],
  ["an IPv4 address and its mapped IPv6 form", "203.0.113.7", "::ffff:203.0.113.9"],
])("%s have one prefix", async (_name, a, b) => {
  expect(await prefixOf(a)).toBe(await prefixOf(b));
});

test.each([
  ["IPv4 addresses of two /24", "203.0.113.7", "203.0.112.7"],
  ["IPv6 addresses of two /64", "2001:db8:1:2::1", "2001:db8:1:3::1"],
  ["an address and none", "203.0.113.7", null],
])("%s have different prefixes", async (_name, a, b) => {
  expect(await prefixOf(a)).not.toBe(await prefixOf(b));
});

test("text that is not an address shares the prefix of requests without one", async () => {
  expect(await prefixOf("not an address")).toBe(await prefixOf(null));
});

test("a prefix is a keyed hash that does not reveal the address", async () => {
  const prefix = await prefixOf("203.0.113.7");
  expect(prefix).toMatch(/^[0-9a-f]{64}$/);
  expect(await prefixOf("203.0.113.7", `${SECRET}!`)).not.toBe(prefix);
});
