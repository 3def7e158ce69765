/** The Control page: freeze, kill switch, signals, audit log and logins. */
import type { AuditEntry, ControlState, OperatorLogin, SwitchRecord } from "@waggle/protocol";
import { auditTable, loginTable } from "./audit-table.ts";
import { confirmDecision, type Question } from "./confirm-dialog.ts";
import { h } from "@waggle/embed/dom";
import { formatAgo } from "./format.ts";
import { keepOperatorName, readOperatorName } from "./operator-name.ts";
import { signalTable } from "./learning/signal-panel.ts";
import { describeError, placeholder, poll, type View, type ViewContext } from "./view.ts";

type Data = { control: ControlState; entries: AuditEntry[]; logins: OperatorLogin[] };
type Change = (reason: string) => Promise<unknown>;

const QUESTIONS = {
  freeze: {
    text: "Freeze promotions?",
    consequence:
      "No version is published or promoted until the freeze is lifted. Pages keep their versions, and the trainer continues to learn.",
    confirm: "Freeze",
  },
  unfreeze: {
    text: "Lift the freeze?",
    consequence: "The trainer may publish and promote versions again.",
    confirm: "Lift the freeze",
  },
  base: {
    text: "Switch all pages to the base model?",
    consequence:
      "Every visitor gets version 0 within seconds. Open pages change at their next check.",
    confirm: "Use the base model",
    isDangerous: true,
  },
  silence: {
    text: "Silence all pages?",
    consequence:
      "The assistant does not answer until you switch it on again. Open pages of earlier versions of Waggle use the base model.",
    confirm: "Silence pages",
    isDangerous: true,
  },
  restore: {
    text: "Switch pages on again?",
    consequence: "Every visitor gets the version of their channel again.",
    confirm: "Switch on",
  },
} as const satisfies { readonly [name: string]: Question };

function since(record: SwitchRecord, now: number): string {
  const reason = record.reason === "" ? "" : `: ${record.reason}`;
  return `${record.by}, ${formatAgo(record.at, now)} ago${reason}`;
}

function switchPanel(
  title: string,
  state: { readonly text: string; readonly isOn: boolean; readonly detail: string },
  ...buttons: HTMLElement[]
): HTMLElement {
  return h(
    "section",
    { class: `panel switch ${state.isOn ? "on" : ""}` },
    h("h2", {}, title),
    h("p", { class: `switch-state ${state.isOn ? "bad-text" : "good-text"}` }, state.text),
    h("p", { class: "caption wrap" }, state.detail),
    h("menu", {}, ...buttons),
  );
}

/** Creates the Control page. */
export function createControl(context: ViewContext): View {
  const { api } = context;
  const notice = h("div", { "aria-live": "polite" });
  const switches = h("div", { class: "switches" });
  const signals = h("section", { class: "panel flush" });
  const signalTitle = h("h2", { class: "section" }, "Signals");
  const log = h("section", { class: "panel flush" });
  const logins = h("section", { class: "panel flush" });
  const name = h("input", {
    name: "operator",
    value: readOperatorName(localStorage),
    maxlength: 64,
    autocomplete: "name",
    placeholder: "operator",
    input: () => keepOperatorName(localStorage, name.value),
  });
  const body = h(
    "div",
    { hidden: true },
    switches,
    signalTitle,
    signals,
    h("h2", { class: "section" }, "Audit log"),
    log,
    h("h2", { class: "section" }, "Operators"),
    logins,
  );
  const element = h(
    "div",
    {},
    h(
      "header",
      { class: "page-head" },
      h("h1", {}, "Control"),
      h("label", { class: "operator-name" }, h("span", {}, "Your name in the audit log"), name),
    ),
    notice,
    body,
  );

  async function decide(question: Question, change: Change): Promise<void> {
    const reason = await confirmDecision(question);
    if (reason === null) return;
    try {
      await change(reason);
      notice.replaceChildren();
      await poller.refresh();
    } catch (error) {
      notice.replaceChildren(h("p", { class: "notice bad", role: "alert" }, describeError(error)));
    }
  }
  const button = (label: string, question: Question, change: Change) =>
    h("button", { type: "button", click: () => void decide(question, change) }, label);

  function show({ control, entries, logins: shownLogins }: Data): void {
    const now = Date.now();
    const { frozen, killed } = control;
    switches.replaceChildren(
      switchPanel(
        "Publishing",
        frozen === null
          ? {
              text: "Allowed",
              isOn: false,
              detail: "The trainer publishes versions that pass the gate.",
            }
          : { text: "Frozen", isOn: true, detail: since(frozen, now) },
        frozen === null
          ? button("Freeze …", QUESTIONS.freeze, (reason) => api.freeze(reason))
          : button("Lift the freeze …", QUESTIONS.unfreeze, () => api.unfreeze()),
      ),
      switchPanel(
        "Pages",
        killed === null
          ? {
              text: "On",
              isOn: false,
              detail: "Every page runs the version of its channel.",
            }
          : {
              text: killed.mode === "base" ? "Base model only" : "Silent",
              isOn: true,
              detail: since(killed, now),
            },
        ...(killed === null
          ? []
          : [button("Switch on …", QUESTIONS.restore, () => api.clearKillSwitch())]),
        ...(killed?.mode === "base"
          ? []
          : [
              button("Base model …", QUESTIONS.base, (reason) => api.setKillSwitch("base", reason)),
            ]),
        ...(killed?.mode === "silence"
          ? []
          : [
              button("Silence …", QUESTIONS.silence, (reason) =>
                api.setKillSwitch("silence", reason),
              ),
            ]),
      ),
    );
    const table = signalTable(
      control,
      now,
      (question, signal, stops) =>
        void decide(question, (reason) =>
          stops ? api.stopSignal(signal, reason) : api.startSignal(signal),
        ),
    );
    signalTitle.hidden = table === null;
    signals.hidden = table === null;
    signals.replaceChildren(table ?? "");
    log.replaceChildren(auditTable(entries, now));
    logins.replaceChildren(loginTable(shownLogins, now));
  }

  let shown = "";
  const poller = poll<Data>(
    context,
    async () => {
      const [control, audit] = await Promise.all([api.control(), api.audit()]);
      return { control, entries: audit.entries, logins: audit.logins ?? [] };
    },
    (state) => {
      if (state.data === null) notice.replaceChildren(placeholder(state));
      else if (body.hidden) notice.replaceChildren();
      body.hidden = state.data === null;
      if (state.data === null) return;
      const text = JSON.stringify(state.data);
      if (text === shown) return;
      shown = text;
      show(state.data);
    },
  );
  return { element, title: "Control", dispose: () => poller.stop() };
}
