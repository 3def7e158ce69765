/** What a tab hears of the storage that it shares with the other tabs of its site. A frame stands for another tab. */
import { afterEach, expect, test } from "vitest";
import { createConsentStore } from "./consent-store.ts";

afterEach(() => {
  localStorage.clear();
  document.body.replaceChildren();
});

test("a tab hears when another one records, declines and withdraws a consent", async () => {
  const frame = document.createElement("iframe");
  document.body.append(frame);
  const storage = frame.contentWindow?.localStorage as Storage;
  const other = createConsentStore({ storage, currentVersion: "1" });
  const own = createConsentStore({ storage: localStorage, currentVersion: "1", tabs: window });
  const heard: string[] = [];
  own.onChange(() => heard.push(own.decision()));
  for (const [act, decision] of [
    [() => other.withdraw(), "declined"],
    [() => other.grant(), "granted"],
    [() => other.withdraw(), "declined"],
    [() => other.clear(), "undecided"],
  ] as const) {
    heard.length = 0;
    act();
    await expect.poll(() => heard.at(-1)).toBe(decision);
  }
});
