import { expect, test } from "vitest";
import { isLocalAddress, readPageRequest } from "./page-request.ts";

test("automation parameters are accepted on this machine", () => {
  expect(readPageRequest("?simulate=16&autoconsent=1&device=webgpu", true)).toEqual({
    simulate: 16,
    people: null,
    autoConsent: true,
    device: "webgpu",
    localEdgeTools: false,
    isForDeveloper: false,
  });
  expect(readPageRequest("?simulate=forever", true).simulate).toBe(Infinity);
});

test("automation parameters are ignored on the open web, so that a link cannot give a visitor's consent", () => {
  expect(readPageRequest("?simulate=16&people=8&autoconsent=1&edgetools=local", false)).toEqual({
    simulate: 0,
    people: null,
    autoConsent: false,
    device: "auto",
    localEdgeTools: false,
    isForDeveloper: false,
  });
});

test("people come with shares and a seed, or with defaults and a seed of their own", () => {
  const peopleIn = (search: string) => readPageRequest(search, true).people;
  expect(peopleIn("?people=forever&answering=1&wrong=0&seed=3")).toEqual({
    count: Infinity,
    signal: "thumb",
    answering: 1,
    wrong: 0,
    seed: 3,
  });
  const [one, other] = [peopleIn("?people=8"), peopleIn("?people=8&answering=1.5&wrong=-1&seed=x")];
  expect(one).toMatchObject({ count: 8, answering: 0.5, wrong: 0.15 });
  expect(other).toMatchObject({ count: 8, answering: 0.5, wrong: 0.15 });
  expect(one?.seed).not.toBe(other?.seed);
  expect(peopleIn("?people=8&signal=message")?.signal).toBe("message");
  expect(peopleIn("?people=8&signal=shout")?.signal).toBe("thumb");
  expect(peopleIn("?people=0")).toBeNull();
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
