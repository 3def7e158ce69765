/**
 * `<waggle-agent>`: the chat panel, in a shadow root, without a framework. It renders an `Agent` and holds no
 * conversation state itself. A page gives it an agent (`agent`), or the attributes to create one.
 */
import type { Agent } from "../agent.ts";
import { createAgent } from "../create-agent.ts";
import type { PageTool } from "../page-tool.ts";
import { createItemView } from "./answer-view.ts";
import type { ItemView } from "./answer-view.ts";
import { h } from "../dom.ts";
import { icon, ICONS } from "./icons.ts";
import { setText } from "./set-text.ts";
import { createPrivacyView } from "./privacy-view.ts";
import type { PrivacyView } from "./privacy-view.ts";
import { STYLES } from "./styles.ts";
import { DEFAULT_TEXTS, formatBytes } from "./texts.ts";
import type { PanelTexts } from "./texts.ts";

/**
 * Creates an agent from the attributes `edge-url` and `site-key` if no `agent` is set. `edge-tools` names
 * tools of the edge, separated by spaces.
 */
export class WaggleAgentElement extends HTMLElement {
  #agent: Agent | null = null;
  #ownsAgent = false;
  #tools: readonly PageTool[] = [];
  #texts: PanelTexts = DEFAULT_TEXTS;
  #suggestions: readonly string[] = [];
  #leave: (() => void) | null = null;
  #panel: Panel | null = null;
  #frame = 0;

  /** The agent that is rendered. The element does not dispose an agent that the page set. */
  get agent(): Agent | null {
    return this.#agent;
  }
  set agent(agent: Agent | null) {
    this.#drop();
    this.#agent = agent;
    this.#ownsAgent = false;
    if (this.isConnected) this.#attach();
  }

  /** Tools of the page for an agent created from attributes. Set them before the element is connected. */
  get tools(): readonly PageTool[] {
    return this.#tools;
  }
  set tools(tools: readonly PageTool[]) {
    this.#tools = tools;
    if (this.isConnected && this.#agent === null) this.#attach();
  }

  /** Example requests, shown while the conversation is empty. */
  get suggestions(): readonly string[] {
    return this.#suggestions;
  }
  set suggestions(suggestions: readonly string[]) {
    this.#suggestions = suggestions;
    if (this.#panel !== null) this.#attach();
  }

  /** Replaces texts of the panel. */
  set texts(texts: Partial<PanelTexts>) {
    this.#texts = { ...DEFAULT_TEXTS, ...texts };
    if (this.#panel !== null) this.#attach();
  }

  connectedCallback(): void {
    // A property set before the element was defined hides the accessor, so set it again.
    for (const name of ["agent", "tools", "suggestions", "texts"] as const) {
      const own = Object.getOwnPropertyDescriptor(this, name);
      if (own === undefined) continue;
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, own.value);
    }
    this.#attach();
  }

  disconnectedCallback(): void {
    this.#leave?.();
    this.#leave = null;
    // Moving the element disconnects and reconnects it synchronously. Dispose only after a real removal.
    queueMicrotask(() => {
      if (!this.isConnected) this.#drop();
    });
  }

  #drop(): void {
    this.#leave?.();
    this.#leave = null;
    if (this.#ownsAgent) void this.#agent?.dispose();
    if (this.#ownsAgent) this.#agent = null;
    this.#panel = null;
  }

  #attach(): void {
    if (this.#agent === null) {
      const edgeUrl = this.getAttribute("edge-url");
      const siteKey = this.getAttribute("site-key");
      if (edgeUrl === null || siteKey === null) return;
      const edgeTools = (this.getAttribute("edge-tools") ?? "").split(/\s+/).filter(Boolean);
      this.#agent = createAgent({ edgeUrl, siteKey, tools: this.#tools, edgeTools });
      this.#ownsAgent = true;
    }
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open", delegatesFocus: true });
    this.#leave?.();
    this.#panel = createPanel(this.#agent, this.#texts, this.#suggestions);
    root.replaceChildren(h("style", {}, STYLES), this.#panel.element);
    this.#leave = this.#agent.onChange(() => {
      if (this.#frame !== 0) return;
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        this.#panel?.update();
      });
    });
    this.#panel.update();
  }
}

type Panel = { readonly element: HTMLElement; update(): void };

function createPanel(agent: Agent, texts: PanelTexts, suggestions: readonly string[]): Panel {
  const state = h("span", { class: "state", role: "status" });
  const fresh = h(
    "button",
    {
      class: "tool-button",
      type: "button",
      title: "New conversation",
      "aria-label": "New conversation",
    },
    icon(ICONS.plus),
  );
  const privacyButton = h(
    "button",
    { class: "tool-button", type: "button", "aria-pressed": "false" },
    icon(ICONS.shield),
    "What I sent",
  );
  const progress = h("progress", { "aria-label": "Loading the model", max: "1" });
  const log = h("div", {
    class: "view log",
    role: "log",
    "aria-live": "polite",
    tabindex: "0",
    "aria-label": "Conversation",
  });
  const empty = h("div", { class: "empty" }, h("p", {}, texts.greeting));
  const offered = suggestions.map((text) =>
    h("button", { class: "suggestion", type: "button", click: () => submit(text) }, text),
  );
  if (offered.length > 0) empty.append(h("div", { class: "suggestions" }, ...offered));
  log.append(empty);

  const accept = h("button", { class: "button primary", type: "button" }, texts.consentAccept);
  const decline = h("button", { class: "button", type: "button" }, texts.consentDecline);
  const consent = h(
    "section",
    { class: "consent", "aria-label": "Consent" },
    h("h3", {}, texts.consentTitle),
    h("p", {}, texts.consentBody),
    h("div", { class: "row" }, accept, decline),
  );
  const noticeText = h("span");
  const noticeButton = h("button", { class: "button", type: "button" }, "Try again");
  const notice = h(
    "div",
    { class: "notice", role: "alert", hidden: true },
    noticeText,
    noticeButton,
  );

  const input = h("textarea", {
    rows: "1",
    placeholder: texts.placeholder,
    "aria-label": "Request",
    maxlength: "2000",
  });
  const send = h("button", { class: "send", type: "submit" });
  const form = h("form", {}, input, send);
  const corner = h("span");
  const counts = h("span");
  const element = h(
    "section",
    { class: "panel", "aria-label": texts.title },
    h("header", {}, h("h2", {}, texts.title), state, fresh, privacyButton),
    progress,
    log,
    consent,
    notice,
    form,
    h("footer", {}, corner, counts),
  );

  const views = new Map<string, ItemView>();
  let privacy: PrivacyView | null = null;
  let countsPending = false;
  // Keep the end in view unless the visitor has scrolled up.
  let pinned = true;
  const stick = (): void => {
    if (pinned) log.scrollTop = log.scrollHeight;
  };
  log.addEventListener("scroll", () => {
    pinned = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  });
  new ResizeObserver(stick).observe(log);
  const running = (): boolean => {
    const last = agent.conversation.at(-1);
    return last?.kind === "answer" && last.running;
  };

  function submit(text: string): void {
    const request = text.trim();
    if (request === "" || agent.status.phase !== "ready" || agent.status.silenced) return;
    input.value = "";
    // The conversation shows a failed run, so ignore the rejection.
    agent.send(request).finished.catch(() => undefined);
    pinned = true;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (running()) agent.stop();
    else submit(input.value);
    input.focus();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!running()) submit(input.value);
  });
  input.addEventListener("input", () => update());
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (privacy !== null) showPrivacy(false);
    else if (running()) agent.stop();
  });
  fresh.addEventListener("click", () => {
    agent.clear();
    input.focus();
  });
  accept.addEventListener("click", () => {
    agent.consent.grant();
    input.focus();
  });
  decline.addEventListener("click", () => {
    agent.consent.withdraw();
    input.focus();
  });
  privacyButton.addEventListener("click", () => showPrivacy(privacy === null));
  noticeButton.addEventListener("click", () => void agent.reload());

  function showPrivacy(open: boolean): void {
    if (open && privacy === null) {
      privacy = createPrivacyView(agent, texts);
      log.replaceWith(privacy.element);
      void privacy.refresh();
    } else if (!open && privacy !== null) {
      privacy.element.replaceWith(log);
      privacy = null;
    }
    privacyButton.setAttribute("aria-pressed", String(open));
    form.hidden = open;
    update();
  }

  const actions = {
    onFeedback: (kind: "thumb-up" | "thumb-down", trajectoryId: string) =>
      void agent.feedback(kind, trajectoryId),
    onRetry: () => void agent.retry()?.finished.catch(() => undefined),
  };

  function update(): void {
    const { status, conversation } = agent;
    const busy = running();
    const ids = new Set(conversation.map((item) => item.id));
    for (const [id, view] of views) {
      if (ids.has(id)) continue;
      view.element.remove();
      views.delete(id);
    }
    for (const [index, item] of conversation.entries()) {
      let view = views.get(item.id);
      if (view === undefined) {
        view = createItemView(item, actions);
        views.set(item.id, view);
        log.append(view.element);
      }
      view.update(item, index === conversation.length - 1 && !status.silenced);
    }
    empty.hidden = conversation.length > 0;
    stick();

    const isOff = status.phase === "ready" && status.silenced;
    const isReady = status.phase === "ready" && !status.silenced;
    const phase = isOff ? "off" : isReady && busy ? "busy" : status.phase;
    state.dataset["state"] = phase;
    setText(state, stateText(agent, busy));
    progress.hidden = status.phase !== "loading";
    if (status.totalBytes === null) progress.removeAttribute("value");
    else progress.value = status.totalBytes === 0 ? 1 : status.loadedBytes / status.totalBytes;
    for (const button of offered) button.disabled = !isReady;
    input.disabled = isOff;

    // Nothing of another model is collected, so no consent is needed.
    consent.hidden =
      agent.consent.decision() !== "undecided" || privacy !== null || agent.model.kind !== "site";
    const said = noticeOf(agent, texts);
    notice.hidden = said === "";
    notice.classList.toggle("calm", status.error === null);
    noticeButton.hidden = status.error === null || !status.error.retryable;
    setText(noticeText, said);

    const label = busy ? "Stop" : "Send";
    if (send.getAttribute("aria-label") !== label) {
      send.setAttribute("aria-label", label);
      send.title = label;
      send.replaceChildren(icon(busy ? ICONS.stop : ICONS.send));
    }
    send.disabled = !busy && (!isReady || input.value.trim() === "");
    fresh.hidden = conversation.length === 0;

    setText(
      corner,
      [agent.policyVersion === null ? null : `policy ${agent.policyVersion}`, agent.backend]
        .filter((part) => part !== null)
        .join(" · "),
    );
    if (privacy !== null) void privacy.refresh();
    updateCounts();
  }

  function updateCounts(): void {
    if (countsPending) return;
    countsPending = true;
    void agent.outbox().then(({ sent, waiting }) => {
      countsPending = false;
      setText(counts, sent + waiting === 0 ? "" : `${sent} sent · ${waiting} waiting`);
    });
  }

  return { element, update };
}

/** What the visitor should know about the assistant itself; empty if nothing. */
function noticeOf({ status, texts: own }: Agent, texts: PanelTexts): string {
  if (status.error !== null) return status.error.message;
  if (status.silenced) return own.silenced;
  if (!status.online) return texts.offline;
  return status.policyFailure === null ? "" : texts.olderPolicy;
}

function stateText(agent: Agent, busy: boolean): string {
  const { status } = agent;
  if (status.phase === "error") return "not available";
  if (status.phase === "ready" && status.silenced) return "switched off";
  if (status.phase === "ready")
    return busy ? "working" : status.online ? "ready" : "ready, offline";
  if (status.totalBytes === null || status.loadedBytes >= status.totalBytes) {
    return status.detail === "" ? "starting" : status.detail;
  }
  return `${formatBytes(status.loadedBytes)} of ${formatBytes(status.totalBytes)}`;
}
