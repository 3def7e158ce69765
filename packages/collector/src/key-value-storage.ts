/** The few members of `localStorage` that small records need, and a version that lives in memory. */

/** Synchronous strings by key. `localStorage` is one; its failures are typed by who calls it. */
export type KeyValueStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Storage that ends with the page; also what is left where `localStorage` is forbidden. */
export function createMemoryStorage(): KeyValueStorage {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

/**
 * `storage` where it can be written, memory otherwise: reading `localStorage` throws in a sandboxed
 * frame, and writing it throws where a visitor forbids site data.
 */
export function usableStorage(open: () => KeyValueStorage): KeyValueStorage {
  const probe = "waggle.probe";
  try {
    const storage = open();
    storage.setItem(probe, "1");
    storage.removeItem(probe);
    return storage;
  } catch {
    return createMemoryStorage();
  }
}
