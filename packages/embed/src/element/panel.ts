/** The chat panel of one agent: header, conversation, questions, notices and the field for requests. */
import type { Agent } from "../agent.ts";
import { h } from "../dom.ts";
import { WAITING_FOR_POLICY } from "../first-policy.ts";
import { createItemView } from "./answer-view.ts";
import type { ItemView } from "./answer-view.ts";
import { createConsentCard } from "./consent-card.ts";
import { icon, ICONS } from "./icons.ts";
import type { PanelTexts } from "./panel-texts.ts";
import type { PrivacyView } from "./privacy-view.ts";
import { createQuestionCard } from "./question-card.ts";
import { setText } from "./set-text.ts";

/** The panel of one agent. */
export type Panel = { readonly element: HTMLElement; update(): void; focus(): void };

/** What the panel shows besides the agent's state. */
export type PanelOptions = {
  readonly texts: PanelTexts;
  /** Example requests for an empty conversation. */
  readonly suggestions: readonly string[];
  /** True shows names, arguments, versions and the back end as a developer needs them. */
  readonly isForDeveloper: boolean;
};

/** Builds the panel. Call `update` after each change of the agent. */
export function createPanel(agent: Agent, options: PanelOptions): Panel {
  const { texts, suggestions, isForDeveloper } = options;
  const state = h("span", { class: "state", role: "status" });
  const fresh = h(
    "button",
    {
      class: "tool-button",
      type: "button",
      title: texts.newConversation,
      "aria-label": texts.newConversation,
    },
    icon(ICONS.plus),
  );
  const privacyButton = h(
    "button",
    { class: "tool-button", type: "button", "aria-pressed": "false" },
    icon(ICONS.shield),
    texts.whatISent,
  );
  const progress = h("progress", { "aria-label": texts.loading, max: "1" });
  const log = h("div", {
    class: "view log",
    role: "log",
    "aria-live": "polite",
    tabindex: "0",
    "aria-label": texts.conversation,
  });
  const untrained = h("p", { class: "untrained", hidden: true }, texts.untrained);
  const empty = h("div", { class: "empty" }, h("p", {}, texts.greeting), untrained);
  const offered = suggestions.map((text) =>
    h("button", { class: "suggestion", type: "button", click: () => submit(text) }, text),
  );
  if (offered.length > 0) empty.append(h("div", { class: "suggestions" }, ...offered));
  log.append(empty);

  const consent = createConsentCard(agent, texts, () => input.focus());
  const question = createQuestionCard(agent, texts);
  const noticeText = h("span");
  const noticeButton = h("button", { class: "button", type: "button" }, texts.tryAgain);
  const notice = h(
    "div",
    { class: "notice", role: "alert", hidden: true },
    noticeText,
    noticeButton,
  );

  const input = h("textarea", {
    rows: "1",
    placeholder: texts.placeholder,
    "aria-label": texts.request,
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
    question.element,
    consent,
    notice,
    form,
    isForDeveloper ? h("footer", {}, corner, counts) : null,
  );

  const views = new Map<string, ItemView>();
  let privacy: PrivacyView | null = null;
  let isPrivacyOpen = false;
  let countsPending = false;
  // The request in the input was entered while the model loads, and is sent when it is ready.
  let isHeld = false;
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
    const { phase, silenced } = agent.status;
    if (request === "" || phase === "error" || silenced) return;
    isHeld = phase === "loading";
    input.value = isHeld ? text : "";
    if (isHeld) return update();
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
  input.addEventListener("input", () => {
    isHeld = false;
    update();
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const isUsed = isPrivacyOpen || running();
    if (isPrivacyOpen) showPrivacy(false);
    else if (running()) agent.stop();
    if (isUsed) event.preventDefault();
  });
  fresh.addEventListener("click", () => {
    agent.clear();
    input.focus();
  });
  privacyButton.addEventListener("click", () => showPrivacy(!isPrivacyOpen));
  noticeButton.addEventListener("click", () => void agent.reload());

  function showPrivacy(open: boolean): void {
    isPrivacyOpen = open;
    if (open) void openPrivacy();
    else privacy?.element.replaceWith(log);
    privacy = null;
    privacyButton.setAttribute("aria-pressed", String(open));
    form.hidden = open;
    update();
  }

  async function openPrivacy(): Promise<void> {
    const view = await loadPrivacy().then(
      ({ createPrivacyView }) => createPrivacyView(agent, texts, isForDeveloper),
      // The page is offline and did not load the code before.
      () => emptyPrivacyView(texts),
    );
    if (!isPrivacyOpen || privacy !== null) return;
    privacy = view;
    log.replaceWith(view.element);
    void view.refresh();
  }

  const actions = {
    onFeedback: (kind: "thumb-up" | "thumb-down", trajectoryId: string) =>
      void agent.feedback(kind, trajectoryId),
    onRetry: () => void agent.retry()?.finished.catch(() => undefined),
  };

  function update(): void {
    const { status } = agent;
    if (isHeld && status.phase === "ready") {
      isHeld = false;
      submit(input.value);
    }
    const { conversation } = agent;
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
        view = createItemView(item, actions, { texts, isForDeveloper });
        views.set(item.id, view);
        log.append(view.element);
      }
      view.update(item, index === conversation.length - 1 && !status.silenced);
    }
    empty.hidden = conversation.length > 0;
    untrained.hidden = !isUntrained(agent);
    stick();

    const isOff = status.phase === "ready" && status.silenced;
    const isReady = status.phase === "ready" && !status.silenced;
    const phase = isOff ? "off" : isReady && busy ? "busy" : status.phase;
    state.dataset["state"] = phase;
    setText(state, stateText(agent, texts, busy));
    progress.hidden = status.phase !== "loading";
    if (status.totalBytes === null) progress.removeAttribute("value");
    else progress.value = status.totalBytes === 0 ? 1 : status.loadedBytes / status.totalBytes;
    for (const button of offered) button.disabled = isOff || status.phase === "error";
    input.disabled = isOff;

    // Nothing of another model is collected, so no consent is needed.
    consent.hidden =
      agent.consent.decision() !== "undecided" || isPrivacyOpen || agent.model.kind !== "site";
    question.update();
    const said = noticeOf(agent, options) || (isHeld ? texts.held : "");
    notice.hidden = said === "";
    notice.classList.toggle("calm", status.error === null);
    noticeButton.hidden = status.error === null || !status.error.retryable;
    setText(noticeText, said);

    const label = busy ? texts.stop : texts.send;
    if (send.getAttribute("aria-label") !== label) {
      send.setAttribute("aria-label", label);
      send.title = label;
      send.replaceChildren(icon(busy ? ICONS.stop : ICONS.send));
    }
    send.disabled = !busy && (isOff || status.phase === "error" || input.value.trim() === "");
    fresh.hidden = conversation.length === 0;

    if (isForDeveloper) setText(corner, describePolicy(agent));
    void privacy?.refresh();
    // Later the page may be offline.
    if (conversation.length > 0 && !busy) void loadPrivacy().catch(() => undefined);
    if (isForDeveloper) updateCounts();
  }

  function updateCounts(): void {
    if (countsPending) return;
    countsPending = true;
    void agent.outbox().then(({ sent, waiting }) => {
      countsPending = false;
      setText(counts, sent + waiting === 0 ? "" : `${sent} sent · ${waiting} waiting`);
    });
  }

  return { element, update, focus: () => input.focus() };
}

/** Visitors rarely open it, so its code is loaded when needed. */
const loadPrivacy = () => import("./privacy-view.ts");

/** In place of the view if its code cannot be loaded. */
function emptyPrivacyView({ notShown }: PanelTexts): PrivacyView {
  const element = h("div", { class: "view privacy" }, h("p", { role: "alert" }, notShown));
  return { element, refresh: () => Promise.resolve() };
}

/** The policy that answers and its back end, for developers. */
function describePolicy({ policyVersion, backend }: Agent): string {
  return [policyVersion === null ? null : `policy ${policyVersion}`, backend]
    .filter((part) => part !== null)
    .join(" · ");
}

/** What the visitor should know about the assistant itself; empty if nothing. */
function noticeOf(
  { status, texts: own }: Agent,
  { texts, isForDeveloper }: Pick<PanelOptions, "texts" | "isForDeveloper">,
): string {
  if (status.error !== null) {
    const { code, message } = status.error;
    const said = own.failed(code, message);
    return isForDeveloper ? `${said} (${code}: ${message})` : said;
  }
  if (status.silenced) return own.silenced;
  if (!status.online) return texts.offline;
  return status.policyFailure === null ? "" : texts.olderPolicy;
}

/** Whether the site's base model answers, which has learned nothing on this site. */
function isUntrained({ policyVersion }: Agent): boolean {
  return policyVersion === 0;
}

function stateText(agent: Agent, texts: PanelTexts, busy: boolean): string {
  const { status } = agent;
  if (status.phase === "error") return texts.notAvailable;
  if (status.phase === "ready" && status.silenced) return texts.switchedOff;
  if (status.phase === "ready") {
    if (busy) return texts.working;
    if (!status.online) return texts.readyOffline;
    return isUntrained(agent) ? texts.readyUntrained : texts.ready;
  }
  if (status.detail === WAITING_FOR_POLICY) return texts.beingPrepared;
  if (status.totalBytes === null || status.loadedBytes >= status.totalBytes) return texts.starting;
  return texts.loaded(texts.size(status.loadedBytes), texts.size(status.totalBytes));
}
