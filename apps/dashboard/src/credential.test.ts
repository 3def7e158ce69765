import { expect, test } from "vitest";
import { type CredentialStore, dropCredential, readCredential } from "./credential.ts";

function memory(): CredentialStore {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

test("a credential in the address is kept for the tab and removed from the address", () => {
  const store = memory();
  let forgotten = 0;
  expect(readCredential(store, "#credential=abc", () => forgotten++)).toBe("abc");
  expect(forgotten).toBe(1);
  expect(readCredential(store, "#/trajectories", () => forgotten++)).toBe("abc");
  expect(forgotten).toBe(1);
});

test("signing out forgets the credential", () => {
  const store = memory();
  readCredential(store, "#credential=abc", () => {});
  dropCredential(store);
  expect(readCredential(store, "", () => {})).toBeNull();
});
