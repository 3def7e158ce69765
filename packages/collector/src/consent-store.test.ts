import { expect, test } from "vitest";
import { createConsentStore } from "./consent-store.ts";
import { createMemoryStorage, usableStorage } from "./key-value-storage.ts";

const clock = (): number => Date.UTC(2026, 10, 20);

test("a granted consent records the version, the scopes and the time", () => {
  const store = createConsentStore({ storage: createMemoryStorage(), currentVersion: "2", clock });
  expect(store.get()).toBeNull();
  store.grant();
  expect(store.get()).toEqual({
    version: "2",
    scopes: ["collect", "train"],
    grantedAt: "2026-11-20T00:00:00.000Z",
  });
});

test("a consent to an older text does not count, and the visitor is undecided again", () => {
  const storage = createMemoryStorage();
  createConsentStore({ storage, currentVersion: "1", clock }).grant();
  const store = createConsentStore({ storage, currentVersion: "2", clock });
  expect(store.get()).toBeNull();
  expect(store.decision()).toBe("undecided");
});

test("a withdrawn consent is removed and remembered as declined", () => {
  const store = createConsentStore({ storage: createMemoryStorage(), currentVersion: "1", clock });
  store.grant();
  store.withdraw();
  expect(store.get()).toBeNull();
  expect(store.decision()).toBe("declined");
  store.clear();
  expect(store.decision()).toBe("undecided");
});

test("a damaged record counts as no consent", () => {
  const storage = createMemoryStorage();
  storage.setItem("waggle.consent", '{"version":"1"');
  expect(createConsentStore({ storage, currentVersion: "1" }).get()).toBeNull();
  storage.setItem("waggle.consent", '{"version":"1","scopes":["everything"],"grantedAt":"now"}');
  expect(createConsentStore({ storage, currentVersion: "1" }).get()).toBeNull();
});

test("listeners are called on every change until they unsubscribe", () => {
  const store = createConsentStore({ storage: createMemoryStorage(), currentVersion: "1", clock });
  let heard = 0;
  const leave = store.onChange(() => heard++);
  store.grant();
  store.withdraw();
  leave();
  store.grant();
  expect(heard).toBe(2);
});

test("an empty version is refused", () => {
  expect(() => createConsentStore({ storage: createMemoryStorage(), currentVersion: "" })).toThrow(
    /has 0 characters; use 1 to 64/,
  );
});

test("unusable storage is replaced by memory", () => {
  const storage = usableStorage(() => {
    throw new Error("The operation is insecure.");
  });
  storage.setItem("a", "1");
  expect(storage.getItem("a")).toBe("1");
});
