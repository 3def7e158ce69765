/** A modal confirmation of a decision that affects visitors. */
import { h } from "@waggle/embed/dom";

/** Texts of the dialog. */
export type Question = {
  readonly text: string;
  /** The effect on visitors. */
  readonly consequence: string;
  /** Label of the confirm button. */
  readonly confirm: string;
  readonly isDangerous?: boolean;
};

/** Asks the question. @returns the operator's reason, which may be empty; `null` if canceled */
export function confirmDecision(question: Question): Promise<string | null> {
  const reason = h("input", { name: "reason", maxlength: 500, autocomplete: "off" });
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const dialog = h(
    "dialog",
    {
      "aria-labeledby": "decision",
      close: () => {
        dialog.remove();
        resolve(dialog.returnValue === "yes" ? reason.value.trim() : null);
      },
    },
    h(
      "form",
      { method: "dialog", class: "decision" },
      h("h2", { id: "decision" }, question.text),
      h("p", {}, question.consequence),
      h("label", {}, h("span", {}, "Reason for the audit log"), reason),
      h(
        "menu",
        {},
        h(
          "button",
          { value: "no", formnovalidate: true, type: "button", click: () => dialog.close("no") },
          "Cancel",
        ),
        h(
          "button",
          { value: "yes", class: question.isDangerous ? "danger" : "primary" },
          question.confirm,
        ),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}
