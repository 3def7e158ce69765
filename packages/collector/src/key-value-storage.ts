/** The subset of `localStorage` that small records need, and an implementation in memory. */

/** Synchronous storage of strings by key, such as `localStorage`. It may throw; callers handle that. */
export type KeyValueStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Storage that lasts as long as the page. Also the fallback if `localStorage` is not available. */
export function createMemoryStorage(): KeyValueStorage {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

/**
 * The opened storage if it can be written, otherwise memory. Reading `localStorage` throws in a sandboxed
 * frame, and writing it throws if the visitor blocks site data.
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
