/** The frame around every view: navigation bar, routes and connection state. It shows one view at a time. */
import { type OperatorHealth, WaggleError } from "@waggle/protocol";
import { createControlBanner } from "./control-banner.ts";
import { createControl } from "./control-view.ts";
import { createDeadLetters } from "./dead-letter-view.ts";
import { h } from "@waggle/embed/dom";
import type { OperatorApi } from "./operator-api.ts";
import { createOverview } from "./overview-view.ts";
import { createPolicies } from "./policy-view.ts";
import type { PollState } from "./poller.ts";
import { createSiteSwitch } from "./site-switch.ts";
import { type TrainerStatus, trainerStatus } from "./trainer-status.ts";
import { createTrajectoryList } from "./trajectory-list-view.ts";
import { createTrajectoryView } from "./trajectory-view.ts";
import { poll, type View, type ViewContext } from "./view.ts";
import { createVisitors } from "./visitors-view.ts";

const PAGES: readonly [string, string][] = [
  ["#/", "Overview"],
  ["#/trajectories", "Trajectories"],
  ["#/policies", "Policies"],
  ["#/control", "Control"],
  ["#/visitors", "Visitors"],
  ["#/dead-letters", "Dead letters"],
];

/** Options of `createAppShell`. */
export type AppShellOptions = {
  readonly api: OperatorApi;
  readonly edgeUrl: string;
  /** The site that is shown; `null`: the credential's own. */
  readonly site: string | null;
  readonly onSite: (site: string) => void;
  /** Called when the edge rejects the credential or the operator signs out. */
  readonly onSignOut: (reason: string | null) => void;
};

function viewOf(hash: string, context: ViewContext): View {
  const [path = "", search = ""] = hash.replace(/^#/, "").split("?");
  const digest = /^\/trajectories\/([0-9a-f]{64})$/.exec(path)?.[1];
  if (digest) return createTrajectoryView(context, digest);
  if (path === "/trajectories") return createTrajectoryList(context, new URLSearchParams(search));
  if (path === "/policies") return createPolicies(context);
  if (path === "/control") return createControl(context);
  if (path === "/visitors") {
    return createVisitors(context, new URLSearchParams(search).get("id") ?? "");
  }
  if (path === "/dead-letters") return createDeadLetters(context);
  return createOverview(context);
}

/** Builds the frame into `root`. @returns a function that removes it */
export function createAppShell(root: HTMLElement, options: AppShellOptions): () => void {
  const connection = h("p", { class: "connection", role: "status" }, "connecting");
  const links = PAGES.map(([href, label]) => h("a", { href }, label));
  const main = h("main", { id: "main", tabindex: -1 });
  root.replaceChildren(
    h(
      "header",
      { class: "bar" },
      h("a", { href: "#/", class: "brand" }, "Waggle"),
      createSiteSwitch(options),
      h("nav", { "aria-label": "Pages" }, ...links),
      connection,
      h(
        "button",
        { type: "button", class: "quiet-button", click: () => options.onSignOut(null) },
        "Sign out",
      ),
    ),
  );

  /** `null` until the edge has responded. */
  let trainer: TrainerStatus | null = null;

  function onPoll(state: PollState<unknown>): void {
    if (WaggleError.is(state.error, "UNAUTHENTICATED")) {
      options.onSignOut("The edge rejects this credential.");
      return;
    }
    // An error response is still a response: only no response or a fault means that the edge is unreachable.
    const isLive = WaggleError.is(state.error) ? !state.error.retryable : state.error === null;
    const hasNoTrainer = isLive && trainer?.isRunning === false;
    connection.className = `connection ${hasNoTrainer ? "idle" : isLive ? "live" : "away"}`;
    connection.title = [trainer?.detail, options.edgeUrl].filter(Boolean).join("\n");
    const wanted = isLive
      ? (trainer?.label ?? "live")
      : navigator.onLine
        ? "edge does not respond"
        : "offline";
    if (connection.textContent !== wanted) connection.textContent = wanted;
  }

  const banner = createControlBanner({ api: options.api, onPoll });
  root.append(banner.element, main);
  const health = poll<OperatorHealth>(
    { api: options.api, onPoll: () => undefined },
    () => options.api.health(),
    (state) => {
      trainer = state.data === null || state.error !== null ? null : trainerStatus(state.data);
      onPoll(state);
    },
  );

  let view: View | null = null;
  function navigate(): void {
    const isFirst = view === null;
    const field = document.activeElement?.getAttribute("name");
    view?.dispose();
    view = viewOf(location.hash, { api: options.api, onPoll });
    main.replaceChildren(view.element);
    document.title = `${view.title} · Waggle`;
    const path = location.hash.split(/[?]/)[0] || "#/";
    for (const link of links) {
      const href = link.getAttribute("href") ?? "";
      const isCurrent = href === "#/" ? path === "#/" : path.startsWith(href);
      if (isCurrent) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (isFirst) return;
    // Restores the focus to the filter in use. Otherwise the heading is focused, so that it is announced.
    const kept = field ? main.querySelector<HTMLElement>(`[name="${CSS.escape(field)}"]`) : null;
    (kept ?? main).focus({ preventScroll: true });
    if (!kept) scrollTo(0, 0);
  }
  addEventListener("hashchange", navigate);
  navigate();
  return () => {
    removeEventListener("hashchange", navigate);
    banner.dispose();
    health.stop();
    view?.dispose();
  };
}
