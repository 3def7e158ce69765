/** What pages of earlier releases send and expect. Pages outlive the edge that they were built for. */
import { expect, test } from "vitest";
import { ACCEPT_SILENCE, UPLOAD_LIMITS } from "./constants.ts";
import { WaggleError } from "./errors.ts";
import { readGuidance } from "./guidance.ts";

test("the edge takes uploads of the size that deployed pages send", () => {
  expect(UPLOAD_LIMITS).toEqual({ bodyBytes: 4_194_304, trajectories: 64 });
});

test("deployed pages announce with this header that they understand silence", () => {
  expect(ACCEPT_SILENCE).toBe("application/json;silence=1");
});

test("a newer format of guidance asks for an update, and a format that is no number does not", () => {
  const codeOf = (formatVersion: unknown): string | undefined => {
    try {
      readGuidance(new TextEncoder().encode(JSON.stringify({ formatVersion })));
    } catch (error) {
      return WaggleError.is(error) ? error.code : undefined;
    }
    return undefined;
  };
  expect(codeOf(2)).toBe("SCHEMA_VERSION_UNSUPPORTED");
  expect(codeOf("2")).toBe("SCHEMA_INVALID");
});
