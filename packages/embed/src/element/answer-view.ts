/** One request or answer in the log. It is built once and updated in place while text streams in. */
import type { ToolActivity, ConversationItem } from "../agent.ts";
import { h } from "../dom.ts";
import { icon, ICONS } from "./icons.ts";
import { setText } from "./set-text.ts";
import { describeStop } from "./texts.ts";

/** Callbacks of the buttons below an answer. */
export type AnswerActions = {
  readonly onFeedback: (kind: "thumb-up" | "thumb-down", trajectoryId: string) => void;
  readonly onRetry: () => void;
};

type Answer = Extract<ConversationItem, { kind: "answer" }>;

/** The element of one conversation item. */
export interface ItemView {
  readonly element: HTMLElement;
  update(item: ConversationItem, canRetry: boolean): void;
}

/** Builds the element of a request or an answer. */
export function createItemView(item: ConversationItem, actions: AnswerActions): ItemView {
  if (item.kind === "request") {
    const element = h(
      "div",
      { class: "request" },
      h("span", { class: "hidden-text" }, "You: "),
      item.text,
    );
    return { element, update: () => undefined };
  }
  return createAnswerView(actions);
}

function createAnswerView(actions: AnswerActions): ItemView {
  const parts = h("div", { class: "answer" });
  const thinking = h("span", { class: "thinking" }, h("i"), h("i"), h("i"));
  const note = h("p", { class: "note" });
  const bar = h("div", { class: "actions" });
  // Screen readers wait until `aria-busy` is false and then read the answer once.
  const element = h("article", { class: "answer", "aria-busy": "true" });
  element.append(h("span", { class: "hidden-text" }, "Assistant: "), parts, thinking, note, bar);
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
          view = part.kind === "text" ? h("p", { class: "text" }) : createToolView();
          parts.append("element" in view ? view.element : view);
          views = [...views, view];
        }
        if (part.kind === "text" && !("element" in view)) setText(view, part.text);
        if (part.kind === "tool" && "element" in view) view.update(part.activity);
      }
      const stop = answer.stopReason === null ? null : describeStop(answer.stopReason);
      const text = answer.failure ?? stop ?? "";
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
        renderActions(bar, answer, canRetry, actions);
      }
      shown = answer;
    },
  };
}

function sameActions(a: Answer, b: Answer): boolean {
  return a.running === b.running && a.feedback === b.feedback && a.trajectoryId === b.trajectoryId;
}

function renderActions(
  bar: HTMLElement,
  answer: Answer,
  canRetry: boolean,
  on: AnswerActions,
): void {
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
    bar.append(
      button(
        "up",
        "Good answer",
        ICONS.up,
        () => on.onFeedback("thumb-up", trajectoryId),
        answer.feedback === "thumb-up",
      ),
      button(
        "down",
        "Bad answer",
        ICONS.down,
        () => on.onFeedback("thumb-down", trajectoryId),
        answer.feedback === "thumb-down",
      ),
    );
  }
  if (canRetry) bar.append(button("retry", "Try again", ICONS.retry, on.onRetry));
  if (answer.policyVersion !== null) {
    bar.append(h("span", { class: "version" }, `policy ${answer.policyVersion}`));
  }
  if (focused) bar.querySelector<HTMLElement>(`[data-action="${focused}"]`)?.focus();
}

type ToolView = { readonly element: HTMLElement; update(activity: ToolActivity): void };

function createToolView(): ToolView {
  const mark = h("span", { class: "mark" });
  const name = h("span", { class: "name" });
  const brief = h("span", { class: "brief" });
  const where = h("span", { class: "where" });
  const state = h("span", { class: "hidden-text" });
  const args = h("pre");
  const result = h("pre");
  const resultLabel = h("dt");
  const element = h(
    "details",
    { class: "tool" },
    h("summary", {}, mark, name, brief, where, state),
    h("dl", {}, h("dt", {}, "Arguments"), h("dd", {}, args), resultLabel, h("dd", {}, result)),
  );
  return {
    element,
    update(activity) {
      const next = activity.result === null ? "running" : activity.result.ok ? "done" : "failed";
      setText(name, activity.name.replaceAll("_", " "));
      setText(brief, argumentSummary(activity.arguments));
      setText(where, activity.source);
      where.title =
        activity.source === "page" ? "Ran in this page" : "Ran on the site's edge server";
      setText(args, JSON.stringify(activity.arguments, null, 2));
      if (element.dataset["state"] === next) return;
      element.dataset["state"] = next;
      setText(state, next);
      mark.replaceChildren(
        next === "running"
          ? h("span", { class: "spinner" })
          : icon(next === "done" ? ICONS.check : ICONS.cross),
      );
      setText(resultLabel, next === "failed" ? "Error" : "Result");
      if (activity.result === null) setText(result, "running");
      else if (activity.result.ok) setText(result, JSON.stringify(activity.result.value, null, 2));
      else setText(result, `${activity.result.error.code}: ${activity.result.error.message}`);
    },
  };
}

/** The argument values on one line. */
function argumentSummary(args: { readonly [key: string]: unknown }): string {
  return Object.values(args)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" · ");
}
