/** What needs consent refuses a session that has none. */
import { expect, test } from "vitest";
import { requireConsent } from "./access.ts";

test("only a session with consent passes", () => {
  const consented = { site: "default", visitorId: "v", siteKey: null, isRemembered: true };
  expect(requireConsent(consented)).toBe(consented);
  expect(() => requireConsent({ ...consented, isRemembered: false })).toThrow(
    expect.objectContaining({ code: "CONSENT_MISSING" }),
  );
});
