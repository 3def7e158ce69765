import { expect, test } from "vitest";
import { isLocalAddress, readPageRequest } from "./page-request.ts";

test("automation parameters are accepted on this machine", () => {
  expect(readPageRequest("?simulate=16&autoconsent=1&device=webgpu", true)).toEqual({
    simulate: 16,
    autoConsent: true,
    device: "webgpu",
    localEdgeTools: false,
    isForDeveloper: false,
  });
  expect(readPageRequest("?simulate=forever", true).simulate).toBe(Infinity);
});

test("automation parameters are ignored on the open web, so that a link cannot give a visitor's consent", () => {
  expect(readPageRequest("?simulate=16&autoconsent=1&edgetools=local", false)).toEqual({
    simulate: 0,
    autoConsent: false,
    device: "auto",
    localEdgeTools: false,
    isForDeveloper: false,
  });
});

test("invalid parameters are ignored", () => {
  expect(readPageRequest("?simulate=-3&device=tpu", true)).toMatchObject({
    simulate: 0,
    device: "auto",
  });
});

test.each([
  ["http://127.0.0.1:8787", true],
  ["http://localhost", true],
  ["https://shop.example", false],
  ["https://127.example.com", false],
])("%s is local: %s", (url, expected) => {
  expect(isLocalAddress(url)).toBe(expected);
});
