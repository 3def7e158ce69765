/** What the site learns from, with a switch for each signal. */
import type { ControlState } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import type { Question } from "../confirm-dialog.ts";
import { formatAgo } from "../format.ts";
import { ACTIONS, rowsTable } from "../rows-table.ts";
import { signalText } from "./signal-text.ts";
import { statusChip } from "../view.ts";

type Signal = NonNullable<ControlState["signals"]>[number];

/** Asks the question, and stops or starts the signal if the operator agrees. */
type Decide = (question: Question, signal: string, stops: boolean) => void;

/** The table; `null` for a site without signals, and at an edge of the previous release. */
export function signalTable(
  { signals = [] }: ControlState,
  now: number,
  decide: Decide,
): HTMLElement | null {
  if (signals.length === 0) return null;
  const rows = signals.map((signal) => signalRow(signal, now, decide));
  return rowsTable(["Signal", "Learning", ACTIONS], h("tbody", {}, ...rows));
}

function signalRow({ signal, stopped }: Signal, now: number, decide: Decide): HTMLElement {
  const name = signalText(signal);
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, name),
    h(
      "td",
      {},
      statusChip(stopped === null ? "on" : "stopped"),
      stopped === null ? null : h("div", { class: "quiet wrap" }, whoText(stopped, now)),
    ),
    h(
      "td",
      { class: "actions" },
      h(
        "button",
        {
          type: "button",
          "aria-label": `${stopped === null ? "Stop" : "Start"} learning from: ${name}`,
          click: () => decide(questionOf(name, stopped !== null), signal, stopped === null),
        },
        stopped === null ? "Stop …" : "Start …",
      ),
    ),
  );
}

function whoText({ by, at, reason }: NonNullable<Signal["stopped"]>, now: number): string {
  return `${by}, ${formatAgo(at, now)} ago${reason === "" ? "" : `: ${reason}`}`;
}

function questionOf(name: string, isStopped: boolean): Question {
  return isStopped
    ? {
        text: `Learn from this signal again? ${name}`,
        consequence: "Trajectories that were skipped because of it are learned from, too.",
        confirm: "Start",
      }
    : {
        text: `Stop learning from this signal? ${name}`,
        consequence:
          "The trainer leaves it out from its next step on. Trajectories without another signal are skipped and stay stored. Published versions do not change.",
        confirm: "Stop",
      };
}
