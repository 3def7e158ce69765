/** The operator's credential: for this tab only, and out of the address bar at once. */

const KEY = "waggle-operator-credential";

export type CredentialStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/**
 * The credential of a `#credential=` fragment (kept from then on) or of this tab, `null` for none.
 * @param forget called when the fragment held one and must leave the address bar
 */
export function readCredential(
  store: CredentialStore,
  fragment: string,
  forget: () => void,
): string | null {
  const given = new URLSearchParams(fragment.replace(/^#/, "")).get("credential");
  if (given) {
    store.setItem(KEY, given);
    forget();
    return given;
  }
  return store.getItem(KEY);
}

export function keepCredential(store: CredentialStore, credential: string): void {
  store.setItem(KEY, credential);
}

export function dropCredential(store: CredentialStore): void {
  store.removeItem(KEY);
}
