/** Keeps the operator's name for the audit log in this browser. */

const KEY = "waggle-operator-name";
const LONGEST = 64;

type NameStore = Pick<Storage, "getItem" | "setItem">;

/** The name; empty if none was entered yet. */
export function readOperatorName(store: NameStore): string {
  return store.getItem(KEY) ?? "";
}

/** Stores the name. */
export function keepOperatorName(store: NameStore, name: string): void {
  store.setItem(KEY, name.trim().slice(0, LONGEST));
}
