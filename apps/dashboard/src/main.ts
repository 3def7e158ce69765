/** Entry point of the dashboard: reads the credential, then opens the frame. */
import { isObject } from "@waggle/protocol";
import { createAppShell } from "./app-shell.ts";
import { dropCredential, keepCredential, readCredential } from "./credential.ts";
import { createOperatorApi } from "./operator-api.ts";
import { readOperatorName } from "./operator-name.ts";
import { keepSite, readSite } from "./site-switch.ts";
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
  const site = readSite(sessionStorage);
  const name = () => readOperatorName(localStorage);
  close = createAppShell(at, {
    api: createOperatorApi(edgeUrl, credential, undefined, name, site),
    edgeUrl,
    site,
    onSite: (chosen) => {
      close();
      keepSite(sessionStorage, chosen);
      // A trajectory or visitor of one site is unknown to another.
      showOverview();
      open(at, edgeUrl, credential);
    },
    onSignOut: (reason) => {
      close();
      dropCredential(sessionStorage);
      keepSite(sessionStorage, null);
      signIn(at, edgeUrl, reason);
    },
  });
}

const showOverview = (): void =>
  history.replaceState(null, "", `${location.pathname}${location.search}#/`);

const readGiven = (): string | null =>
  readCredential(sessionStorage, location.hash, () => {
    // Another credential may not open the site that was shown.
    keepSite(sessionStorage, null);
    showOverview();
  });

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
