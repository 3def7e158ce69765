/** One request or answer in the log. It is built once and updated in place while text streams in. */
import type { ConversationItem, ToolActivity } from "../agent.ts";
import { h } from "../dom.ts";
import { icon, ICONS } from "./icons.ts";
import { setText } from "./set-text.ts";
import { describeStop, type PanelTexts } from "./panel-texts.ts";

/** Callbacks of the buttons below an answer. */
export type AnswerActions = {
  /** What becomes of it is then in the answer. */
  readonly onFeedback: (kind: "thumb-up" | "thumb-down", trajectoryId: string) => void;
  readonly onRetry: () => void;
};

type Answer = Extract<ConversationItem, { kind: "answer" }>;

/** The element of one conversation item. */
export interface ItemView {
  readonly element: HTMLElement;
  update(item: ConversationItem, canRetry: boolean): void;
}

/** How items are shown. */
export type ItemOptions = {
  readonly texts: PanelTexts;
  /** True shows names, arguments, results and versions as a developer needs them. */
  readonly isForDeveloper: boolean;
};

/** Builds the element of a request or an answer. */
export function createItemView(
  item: ConversationItem,
  actions: AnswerActions,
  options: ItemOptions,
): ItemView {
  if (item.kind === "request") {
    const element = h(
      "div",
      { class: "request" },
      h("span", { class: "hidden-text" }, `${options.texts.visitor} `),
      item.text,
    );
    return { element, update: () => undefined };
  }
  return createAnswerView(actions, options);
}

function createAnswerView(actions: AnswerActions, options: ItemOptions): ItemView {
  const { texts, isForDeveloper } = options;
  const parts = h("div", { class: "answer" });
  const thinking = h("span", { class: "thinking" }, h("i"), h("i"), h("i"));
  const note = h("p", { class: "note" });
  const bar = h("div", { class: "actions" });
  // Screen readers wait until `aria-busy` is false and then read the answer once.
  const element = h("article", { class: "answer", "aria-busy": "true" });
  const speaker = h("span", { class: "hidden-text" }, `${texts.assistant} `);
  element.append(speaker, parts, thinking, note, bar);
  let views: (HTMLElement | ToolView)[] = [];
  let shown: Answer | null = null;

  return {
    element,
    update(item, canRetry) {
      if (item.kind !== "answer") return;
      const answer = item;
      for (const [index, part] of answer.parts.entries()) {
        let view = views[index];
        if (view === undefined) {
          view = part.kind === "text" ? h("p", { class: "text" }) : createToolView(options);
          parts.append("element" in view ? view.element : view);
          views = [...views, view];
        }
        if (part.kind === "text" && !("element" in view)) setText(view, part.text);
        if (part.kind === "tool" && "element" in view) view.update(part.activity);
      }
      const { stopReason, policyVersion } = answer;
      const stop = stopReason === null ? null : describeStop(stopReason, texts, policyVersion);
      const failure = isForDeveloper ? (answer.failureDetails ?? answer.failure) : answer.failure;
      const text = failure ?? stop ?? "";
      setText(note, text);
      note.hidden = text === "";
      note.classList.toggle("bad", answer.failure !== null);
      const last = answer.parts.at(-1);
      const works =
        last?.kind === "text" || (last?.kind === "tool" && last.activity.result === null);
      thinking.hidden = !answer.running || works;
      element.setAttribute("aria-busy", String(answer.running));
      if (
        shown === null ||
        !sameActions(shown, answer) ||
        bar.dataset["retry"] !== String(canRetry)
      ) {
        bar.dataset["retry"] = String(canRetry);
        renderActions(bar, answer, canRetry, { actions, options });
      }
      // The status element is redrawn with the bar and then filled, so that a screen reader announces it.
      const said = bar.querySelector<HTMLElement>(".said");
      if (said !== null) setText(said, thanksFor(answer, texts));
      shown = answer;
    },
  };
}

/** What the visitor reads about a thumb; empty if the answer has none, or its outcome is not known yet. */
function thanksFor({ feedback, feedbackOutcome }: Answer, texts: PanelTexts): string {
  const isThumb = feedback === "thumb-up" || feedback === "thumb-down";
  if (!isThumb || feedbackOutcome === undefined) return "";
  return feedbackOutcome === "queued" ? texts.thanks : texts.thanksNotShared;
}

function sameActions(a: Answer, b: Answer): boolean {
  return a.running === b.running && a.feedback === b.feedback && a.trajectoryId === b.trajectoryId;
}

function renderActions(
  bar: HTMLElement,
  answer: Answer,
  canRetry: boolean,
  { actions, options }: { readonly actions: AnswerActions; readonly options: ItemOptions },
): void {
  const { texts } = options;
  const focused = bar.contains((bar.getRootNode() as ShadowRoot).activeElement)
    ? (bar.getRootNode() as ShadowRoot).activeElement?.getAttribute("data-action")
    : null;
  bar.replaceChildren();
  if (answer.running) return;
  const { trajectoryId } = answer;
  const button = (
    action: string,
    label: string,
    path: string,
    run: () => void,
    pressed?: boolean,
  ) =>
    h(
      "button",
      {
        class: "tool-button",
        type: "button",
        "data-action": action,
        "aria-label": label,
        title: label,
        ...(pressed === undefined ? {} : { "aria-pressed": String(pressed) }),
        click: run,
      },
      icon(path),
    );
  if (trajectoryId !== null) {
    const rate = (kind: "thumb-up" | "thumb-down") => (): void =>
      actions.onFeedback(kind, trajectoryId);
    const isUp = answer.feedback === "thumb-up";
    const isDown = answer.feedback === "thumb-down";
    bar.append(
      button("up", texts.goodAnswer, ICONS.up, rate("thumb-up"), isUp),
      button("down", texts.badAnswer, ICONS.down, rate("thumb-down"), isDown),
    );
  }
  if (canRetry) bar.append(button("retry", texts.tryAgain, ICONS.retry, actions.onRetry));
  bar.append(h("span", { class: "said", role: "status" }));
  if (options.isForDeveloper && answer.policyVersion !== null) {
    bar.append(h("span", { class: "version" }, `policy ${answer.policyVersion}`));
  }
  if (focused) bar.querySelector<HTMLElement>(`[data-action="${focused}"]`)?.focus();
}

type ToolView = { readonly element: HTMLElement; update(activity: ToolActivity): void };

function createToolView({ texts, isForDeveloper }: ItemOptions): ToolView {
  const mark = h("span", { class: "mark" });
  const name = h("span", { class: "name" });
  const state = h("span", { class: "hidden-text" });
  const details = isForDeveloper ? createDetails() : null;
  const element =
    details === null
      ? h("div", { class: "tool" }, h("div", { class: "line" }, mark, name, state))
      : h(
          "details",
          { class: "tool" },
          h("summary", { class: "line" }, mark, name, ...details.line, state),
          details.body,
        );
  return {
    element,
    update(activity) {
      const next = activity.result === null ? "running" : activity.result.ok ? "done" : "failed";
      setText(name, isForDeveloper ? activity.name : activity.label);
      details?.update(activity);
      if (element.dataset["state"] === next) return;
      element.dataset["state"] = next;
      const said = { running: texts.toolRunning, done: texts.toolDone, failed: texts.toolFailed };
      setText(state, said[next]);
      mark.replaceChildren(
        next === "running"
          ? h("span", { class: "spinner" })
          : icon(next === "done" ? ICONS.check : ICONS.cross),
      );
    },
  };
}

type Details = {
  readonly line: readonly HTMLElement[];
  readonly body: HTMLElement;
  readonly update: (activity: ToolActivity) => void;
};

/** Arguments and result of a call, for developers and therefore in English. */
function createDetails(): Details {
  const brief = h("span", { class: "brief" });
  const where = h("span", { class: "where" });
  const args = h("pre");
  const result = h("pre");
  const resultLabel = h("dt");
  return {
    line: [brief, where],
    body: h(
      "dl",
      {},
      h("dt", {}, "Arguments"),
      h("dd", {}, args),
      resultLabel,
      h("dd", {}, result),
    ),
    update(activity) {
      setText(brief, argumentSummary(activity.arguments));
      setText(where, activity.source);
      where.title =
        activity.source === "page" ? "Ran in this page" : "Ran on the site's edge server";
      setText(args, JSON.stringify(activity.arguments, null, 2));
      const { result: given } = activity;
      setText(resultLabel, given?.ok === false ? "Error" : "Result");
      if (given === null) setText(result, "running");
      else if (given.ok) setText(result, JSON.stringify(given.value, null, 2));
      else setText(result, `${given.error.code}: ${given.error.message}`);
    },
  };
}

/** The argument values on one line. */
function argumentSummary(args: { readonly [key: string]: unknown }): string {
  return Object.values(args)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" · ");
}
