/** Keeps the operator's credential for this tab only and removes it from the address bar at once. */

const KEY = "waggle-operator-credential";

/** Session storage, or a fake of it. */
export type CredentialStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/**
 * The credential of a `#credential=` fragment, which is then kept, or of this tab; `null` if there is none.
 * @param forget - called if the fragment had one, to remove it from the address bar
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

/** Keeps the credential for this tab. */
export function keepCredential(store: CredentialStore, credential: string): void {
  store.setItem(KEY, credential);
}

/** Forgets the credential. */
export function dropCredential(store: CredentialStore): void {
  store.removeItem(KEY);
}
