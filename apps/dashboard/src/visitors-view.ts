/** Consent by version, visitors in quarantine, and export and deletion of one visitor's data. */
import type { ConsentResponse, DeletionResponse } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatCount } from "./format.ts";
import type { PollState } from "./poller.ts";
import { describeError, placeholder, type View, type ViewContext } from "./view.ts";
import { quarantinePanel } from "./quarantine-panel.ts";
import { rowsTable } from "./rows-table.ts";

function consentTable({ versions }: ConsentResponse): HTMLElement {
  if (versions.length === 0) return h("p", { class: "empty" }, "No visitor has given consent yet.");
  const number = (count: number) => h("td", { class: "number" }, formatCount(count));
  const body = h(
    "tbody",
    {},
    ...versions.map(({ version, trajectories, visitors }) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, version ?? "unknown (stored before versions were kept)"),
        number(trajectories),
        number(visitors),
      ),
    ),
  );
  return rowsTable(
    [
      "Consent text",
      { label: "Trajectories", class: "number" },
      { label: "Visitors", class: "number" },
    ],
    body,
  );
}

const counted = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

function deletedText({
  deletedTrajectories,
  deletedFeedback,
  deletedOutcomes = 0,
  learnedBy,
}: DeletionResponse): string {
  const learned =
    learnedBy.length === 0
      ? "No policy version has learned from them."
      : `Versions that have learned from them: ${learnedBy.map((version) => `v${version}`).join(", ")}.`;
  const trajectories = counted(deletedTrajectories, "trajectory", "trajectories");
  const feedback = counted(deletedFeedback, "piece of feedback", "pieces of feedback");
  const outcomes = counted(deletedOutcomes, "outcome", "outcomes");
  return `Deleted ${trajectories}, ${feedback} and ${outcomes}. ${learned}`;
}

/** Starts a browser download. */
function download(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  h("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/** Creates the Visitors page. @param visitorId - the id in the address; may be empty */
export function createVisitors({ api, onPoll }: ViewContext, visitorId: string): View {
  const consent = h("section", { class: "panel flush" });
  const quarantine = h("section", { class: "panel flush" });
  const input = h("input", {
    name: "visitor",
    size: 38,
    class: "mono",
    value: visitorId,
    placeholder: "00000000-0000-0000-0000-000000000000",
    spellcheck: "false",
    autocomplete: "off",
    required: true,
  });
  const outcome = h("p", { class: "notice", role: "status", hidden: true });
  const say = (text: string, isBad = false): void => {
    outcome.hidden = false;
    outcome.className = isBad ? "notice bad" : "notice";
    outcome.textContent = text;
  };
  const run = async (work: (id: string) => Promise<string>): Promise<void> => {
    if (!input.reportValidity()) return;
    try {
      say(await work(input.value.trim()));
    } catch (error) {
      say(describeError(error), true);
    }
  };
  const exportNow = () =>
    run(async (id) => {
      download(await api.exportVisitor(id), `visitor-${id}.jsonl`);
      return "Your browser is downloading the export.";
    });
  const question = h("div", { class: "filters", hidden: true });
  const askFirst = (isOpen: boolean): void => {
    question.hidden = !isOpen;
    remove.hidden = isOpen;
  };
  const removeNow = async (): Promise<void> => {
    askFirst(false);
    await run(async (id) => deletedText(await api.deleteVisitor(id)));
    await readConsent();
  };
  const button = (label: string, click: () => void, kind = "") =>
    h("button", { type: "button", class: kind, click }, label);
  const remove = button("Delete …", () => {
    if (input.reportValidity()) askFirst(true);
  });
  question.append(
    button("Delete all data of this visitor", () => void removeNow(), "danger"),
    button("Cancel", () => askFirst(false)),
  );

  const readConsent = async (): Promise<void> => {
    let state: PollState<ConsentResponse>;
    try {
      const data = await api.consent();
      state = { data, error: null, at: Date.now() };
      consent.replaceChildren(consentTable(data));
    } catch (error) {
      state = { data: null, error, at: Date.now() };
      consent.replaceChildren(placeholder(state));
    }
    onPoll(state);
  };
  void readConsent();

  const release = async (id: string): Promise<void> => {
    try {
      await api.release(id);
      await readQuarantine();
    } catch (error) {
      quarantine.prepend(h("p", { class: "notice bad", role: "alert" }, describeError(error)));
    }
  };
  const readQuarantine = async (): Promise<void> => {
    try {
      const data = await api.quarantine();
      quarantine.replaceChildren(quarantinePanel(data, Date.now(), (id) => void release(id)));
    } catch (error) {
      quarantine.replaceChildren(placeholder({ data: null, error, at: Date.now() }));
    }
  };
  void readQuarantine();

  const element = h(
    "div",
    {},
    h("header", { class: "page-head" }, h("h1", {}, "Visitors")),
    h("h2", { class: "section" }, "Consent by version of the text"),
    consent,
    h("h2", { class: "section" }, "Quarantine"),
    quarantine,
    h("h2", { class: "section" }, "One visitor"),
    h(
      "section",
      { class: "panel" },
      h(
        "p",
        { class: "caption" },
        "Export downloads all stored data as JSON lines. Deletion is permanent and reports which policy versions have learned from it.",
      ),
      h(
        "form",
        {
          class: "filters",
          submit: (event) => {
            event.preventDefault();
            void exportNow();
          },
        },
        h("label", {}, "Visitor id", input),
        button("Export", () => void exportNow()),
        remove,
        question,
      ),
      outcome,
    ),
  );
  return { element, title: "Visitors", dispose: () => undefined };
}
