/** Entry point of the dashboard: reads the credential, then opens the frame. */
import { isObject } from "@waggle/protocol";
import { createAppShell } from "./app-shell.ts";
import { dropCredential, keepCredential, readCredential } from "./credential.ts";
import { createOperatorApi } from "./operator-api.ts";
import { readOperatorName } from "./operator-name.ts";
import { createSignIn } from "./sign-in-view.ts";

const root = document.getElementById("app");
if (!root) throw new Error("index.html has no element with the id app");
/** Removes the current page. */
let close = (): void => undefined;

async function readEdgeUrl(): Promise<string> {
  const response = await fetch(new URL("config.json", document.baseURI));
  const config: unknown = await response.json();
  if (isObject(config) && "edgeUrl" in config) {
    return String(config.edgeUrl).replace(/\/$/, "");
  }
  throw new Error("config.json has no edgeUrl; serve the app with its Vite config");
}

function signIn(at: HTMLElement, edgeUrl: string, reason: string | null): void {
  at.replaceChildren(
    createSignIn(reason, (credential) => {
      keepCredential(sessionStorage, credential);
      open(at, edgeUrl, credential);
    }),
  );
  at.querySelector("input")?.focus();
}

function open(at: HTMLElement, edgeUrl: string, credential: string): void {
  close = createAppShell(at, {
    api: createOperatorApi(edgeUrl, credential, undefined, () => readOperatorName(localStorage)),
    edgeUrl,
    onSignOut: (reason) => {
      close();
      dropCredential(sessionStorage);
      signIn(at, edgeUrl, reason);
    },
  });
}

const readGiven = (): string | null =>
  readCredential(sessionStorage, location.hash, () =>
    history.replaceState(null, "", `${location.pathname}${location.search}#/`),
  );

const edgeUrl = await readEdgeUrl();
// Registered before the frame's listener, so that pasting an address with a credential loads no page.
addEventListener("hashchange", () => {
  if (!location.hash.startsWith("#credential=")) return;
  const given = readGiven();
  if (given === null) return;
  close();
  open(root, edgeUrl, given);
});
// The fragment is the route, so following "#main" would change the page.
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main")?.focus();
});
const credential = readGiven();
if (credential === null) signIn(root, edgeUrl, null);
else open(root, edgeUrl, credential);
