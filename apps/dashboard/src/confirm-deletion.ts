/** A modal confirmation before something is deleted permanently. */
import { h } from "@waggle/embed/dom";

/** Asks the question. @returns whether the operator confirmed */
export function confirmDeletion(question: string): Promise<boolean> {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      {
        close: () => {
          dialog.remove();
          resolve(dialog.returnValue === "yes");
        },
      },
      h(
        "form",
        { method: "dialog" },
        h("p", {}, question),
        h(
          "menu",
          {},
          h("button", { value: "no", autofocus: true }, "Cancel"),
          h("button", { value: "yes", class: "danger" }, "Delete"),
        ),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}
