/** Notes of the site's staff on one trajectory, and the form that adds one. */
import {
  consentScopes,
  type ControlState,
  FEEDBACK_TEXT_LENGTH,
  type StaffNote,
  type StaffNoteRequest,
  type TrajectoryDetail,
  WaggleError,
} from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatAgo } from "../format.ts";
import type { OperatorApi } from "../operator-api.ts";
import { reasonText } from "../reason-text.ts";
import { describeError } from "../view.ts";

type Kind = StaffNote["kind"];

const LABELS: { readonly [kind in Kind]: string } = {
  answer: "This answer should have been …",
  comment: "Comment for colleagues",
};

const TITLES: { readonly [kind in Kind]: string } = {
  answer: "Should have been",
  comment: "Comment",
};

/** The panel; `null` at an edge of the previous release. */
export function createNotePanel(
  api: Pick<OperatorApi, "addNote" | "control">,
  detail: TrajectoryDetail,
): HTMLElement | null {
  const { notes, row } = detail;
  if (notes === undefined) return null;
  const refusal = whyNoAnswer(detail);
  let kind: Kind = refusal === null ? "answer" : "comment";
  /** Sent again with the same id until it is stored. */
  let unsent: StaffNoteRequest | null = null;
  let control: ControlState | null = null;
  let isSaving = false;

  const list = h("ol", { class: "notes" }, ...notes.map(noteItem));
  const text = h("textarea", {
    id: "note-text",
    name: "note",
    rows: 4,
    maxlength: FEEDBACK_TEXT_LENGTH,
    required: true,
    "aria-describedby": "note-effect",
  });
  const label = h("label", { for: "note-text", class: "visually-hidden" });
  const effect = h("p", { id: "note-effect", class: "caption" });
  const state = h("p", { class: "notice", role: "status", hidden: true });
  const say = (sentence: string, isBad = false): void => {
    state.hidden = false;
    state.className = isBad ? "notice bad" : "notice";
    state.textContent = sentence;
  };
  const describe = (): void => {
    label.textContent = LABELS[kind];
    effect.textContent = kind === "answer" ? effectOf(row.status, control) : COMMENT_EFFECT;
  };

  async function save(): Promise<void> {
    if (isSaving) return;
    const written = text.value.trim();
    if (unsent?.kind !== kind || unsent.text !== written) {
      unsent = { id: crypto.randomUUID(), kind, text: written };
    }
    isSaving = true;
    say("Saving …");
    try {
      const note = await api.addNote(row.digest, unsent);
      list.append(noteItem(note));
      text.value = "";
      say(
        note.text === written
          ? "Saved."
          : "Saved. Placeholders replace what looks like personal data.",
      );
      unsent = null;
    } catch (error) {
      say(refusalText(error), true);
    }
    isSaving = false;
  }

  const choice = (value: Kind) =>
    h(
      "label",
      {},
      h("input", {
        type: "radio",
        name: "note-kind",
        value,
        checked: value === kind,
        change: () => {
          kind = value;
          describe();
        },
      }),
      h("span", {}, LABELS[value]),
    );
  describe();
  if (refusal === null) {
    // Without the state of the site, the text says only what is certain.
    void api
      .control()
      .then((loaded) => {
        control = loaded;
        describe();
      })
      .catch(() => undefined);
  }
  return h(
    "section",
    { class: "panel", "aria-labelledby": "notes" },
    h("h2", { id: "notes" }, "Notes of staff"),
    list,
    h(
      "form",
      {
        class: "note-form",
        submit: (event) => {
          event.preventDefault();
          void save();
        },
      },
      refusal === null
        ? h(
            "fieldset",
            { class: "segmented" },
            h("legend", { class: "visually-hidden" }, "Kind of note"),
            choice("answer"),
            choice("comment"),
          )
        : h("p", { class: "caption" }, refusal),
      label,
      text,
      effect,
      h("div", {}, h("button", { class: "primary" }, "Save")),
      state,
    ),
  );
}

function noteItem({ kind, text, by, at }: StaffNote): HTMLElement {
  return h(
    "li",
    { class: kind },
    h(
      "p",
      { class: "caption" },
      h("b", {}, TITLES[kind]),
      `, ${by}, `,
      h("time", { datetime: at, title: at }, `${formatAgo(at, Date.now())} ago`),
    ),
    h("p", { class: "note-text" }, text),
  );
}

/** The reason why staff cannot replace the answer; `null` if they can. */
function whyNoAnswer({ row, trajectory, consentEnded }: TrajectoryDetail): string | null {
  if (row.task !== null) return "A verifier judges practice tasks, so you can only comment.";
  const untaught = untaughtReason(row.reason, trajectory.consent, consentEnded ?? null);
  if (untaught !== null) {
    return `Nothing is learned from this record: ${reasonText(untaught)}. You can only comment.`;
  }
  const last = trajectory.turns.at(-1);
  return last === undefined || last.toolCalls.length > 0
    ? "The last turn is no plain answer, so you can only comment."
    : null;
}

/** Reasons that end only with a new record. */
const NEVER_TAUGHT: readonly string[] = ["statistics-only", "consent-expired", "consent-withdrawn"];

/** The edge refuses answers for the same reasons. */
function untaughtReason(
  reason: string | null,
  consent: TrajectoryDetail["trajectory"]["consent"],
  consentEnded: string | null,
): string | null {
  const scopes = consentScopes(consent);
  if (!scopes.includes("train")) return "no-train-consent";
  if (!scopes.includes("feedback")) return "no-feedback-consent";
  if (consentEnded !== null) return consentEnded;
  return reason !== null && NEVER_TAUGHT.includes(reason) ? reason : null;
}

const COMMENT_EFFECT =
  "Operators see it here. An export of this visitor's data by an operator has it, without your name. Nothing learns from it.";

function effectOf(
  status: TrajectoryDetail["row"]["status"],
  control: Pick<ControlState, "feedbackFrom"> | null,
): string {
  if (status === "rejected") {
    return "The trainer has rejected this trajectory, so the policy will not learn this answer.";
  }
  if (control?.feedbackFrom !== undefined && !control.feedbackFrom.includes("staff")) {
    return "This site does not learn from staff, so the policy will not learn this answer. The recipes corrections-imitate and corrections-dpo do.";
  }
  return "The policy will learn to answer so. Write placeholders such as [EMAIL_1] as in the record.";
}

function refusalText(error: unknown): string {
  if (WaggleError.is(error, "UNAUTHENTICATED") || WaggleError.is(error, "FORBIDDEN")) {
    return "Not saved: this credential may not write notes here. Copy your text, and sign in with the site's operator credential.";
  }
  if (WaggleError.is(error, "NETWORK")) {
    return "Not saved: the edge does not respond. Your text is still here; save again.";
  }
  if (WaggleError.is(error, "NOT_FOUND")) return "Not saved: this trajectory has been deleted.";
  return `Not saved: ${describeError(error)}`;
}
