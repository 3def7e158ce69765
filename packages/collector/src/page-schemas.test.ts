import { expect, test } from "vitest";
import { wireSchemas } from "../../protocol/src/wire-schemas.fixture.ts";
import { readPageData, requirePageData } from "./page-data.ts";
import { pageSchemas } from "./page-schemas.fixture.ts";
import { PAGE_SCHEMAS } from "./page-schemas.ts";

test("the pages' schemas are those of the protocol: run test/golden/protocol/write.ts if they changed", () => {
  expect(PAGE_SCHEMAS).toEqual(pageSchemas(wireSchemas()));
});

const session = {
  token: "token",
  expiresAt: "2026-11-24T00:00:00.000Z",
  visitorId: "3f0e1f7e-6f0a-4d3e-9f0a-0c1b2d3e4f50",
  visitorToken: "visitor",
  channel: "stable",
};

test("a valid answer is returned as it is, and members of a newer edge do not matter", () => {
  expect(readPageData("SessionResponse", session)).toBe(session);
  expect(readPageData("SessionResponse", { ...session, newer: 1 })).not.toBeNull();
});

test.for([
  ["a missing member", { visitorId: session.visitorId }],
  ["a member that JSON does not have", { ...session, token: undefined }],
  ["a date without a time", { ...session, expiresAt: "2026-11-24" }],
  ["an id that is not a UUID", { ...session, visitorId: "visitor-1" }],
  ["an unknown channel", { ...session, channel: "beta" }],
  ["a value that is not an object", "session"],
  ["nothing", null],
] as const)("%s is refused, with the name of what was expected", ([, value]) => {
  expect(readPageData("SessionResponse", value)).toBeNull();
  expect(() => requirePageData("SessionResponse", value)).toThrow(/not a SessionResponse/);
});
