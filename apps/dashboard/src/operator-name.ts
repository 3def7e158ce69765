/** The operator's name for the audit log. This browser keeps it. */

const KEY = "waggle-operator-name";
const LONGEST = 64;

type NameStore = Pick<Storage, "getItem" | "setItem">;

/** Empty before the operator said one. */
export function readOperatorName(store: NameStore): string {
  return store.getItem(KEY) ?? "";
}

export function keepOperatorName(store: NameStore, name: string): void {
  store.setItem(KEY, name.trim().slice(0, LONGEST));
}
