/**
 * One collected trajectory. Visitors read what was recorded in plain words and can save a copy of exactly what is sent.
 * Developers also see the JSON. It is loaded when an entry is opened.
 */
import type { OutboxDetail, OutboxEntry } from "@waggle/collector";
import { h } from "../dom.ts";
import { transcriptOf } from "../transcript.ts";
import type { TranscriptPart } from "../transcript.ts";
import type { ItemOptions } from "./answer-view.ts";
import type { PanelTexts } from "./panel-texts.ts";
import { plainValue } from "./plain-value.ts";
import { saveAs } from "./save-as.ts";

/** Builds the content of an entry. @param detail - `null` if it is no longer kept */
export function createSentDetail(
  entry: OutboxEntry,
  detail: OutboxDetail | null,
  { texts, isForDeveloper }: ItemOptions,
): HTMLElement {
  const element = h("div", { class: "detail" }, h("p", { class: "note" }, historyOf(entry, texts)));
  if (isForDeveloper && entry.reason !== null) {
    const { code, message } = entry.reason;
    element.append(h("p", { class: "note bad" }, `${code}: ${message}`));
  }
  if (detail === null) {
    element.append(h("p", { class: "note" }, texts.contentGone));
    return element;
  }
  const json = JSON.stringify(detail.trajectory, null, 1);
  const save = (): void => saveAs(`${detail.trajectory.id}.json`, json, "application/json");
  element.append(
    h("ol", { class: "recorded" }, ...transcriptOf(detail).map((part) => partRow(part, texts))),
    h("button", { class: "button", type: "button", click: save }, texts.download),
  );
  if (isForDeveloper) {
    element.append(h("details", {}, h("summary", {}, "JSON"), h("pre", { tabindex: "0" }, json)));
  }
  return element;
}

/** When it was recorded, and what became of it. */
function historyOf(
  { enqueuedAt, settledAt, state, reason }: OutboxEntry,
  texts: PanelTexts,
): string {
  const recorded = texts.recordedAt(new Date(enqueuedAt).toLocaleString());
  const outcome = {
    waiting: () => texts.notSentYet,
    sent: () => texts.sentAt(new Date(settledAt ?? enqueuedAt).toLocaleString()),
    rejected: () => texts.refused(reason?.code ?? ""),
  }[state]();
  return `${recorded} ${outcome}`;
}

function partRow(part: TranscriptPart, texts: PanelTexts): HTMLElement {
  switch (part.kind) {
    case "request":
      return h("li", {}, h("b", {}, texts.visitor), ` ${part.text}`);
    case "answer":
      return h("li", {}, h("b", {}, texts.assistant), ` ${part.text}`);
    case "task":
      return h("li", {}, h("b", {}, texts.practiceTask), ` ${part.text}`);
    case "unreadable":
      return h("li", {}, texts.unreadable);
    case "tool":
      return toolRow(part, texts);
  }
}

function toolRow(
  { label, arguments: given, result }: Extract<TranscriptPart, { kind: "tool" }>,
  texts: PanelTexts,
): HTMLElement {
  const row = (term: string, value: unknown): HTMLElement =>
    h("div", {}, `${term}: `, plainValue(value, texts));
  const outcome = result === null ? texts.stopped : result.ok ? texts.toolDone : texts.toolFailed;
  return h(
    "li",
    {},
    h("b", {}, label),
    ` (${outcome})`,
    Object.keys(given).length === 0 ? null : row(texts.toolGiven, given),
    result?.ok === true ? row(texts.toolReturned, result.value) : null,
    // Other failures are the policy's mistakes, and their messages are for it and for developers.
    result?.ok === false && result.error.code === "TOOL_FAILED"
      ? row(texts.toolReturned, result.error.message)
      : null,
  );
}
