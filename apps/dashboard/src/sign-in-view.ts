/** The sign-in page, which asks for the operator's credential. */
import { h } from "@waggle/embed/dom";

/** Builds the page. @param reason - why the credential is needed again; `null` the first time */
export function createSignIn(
  reason: string | null,
  onCredential: (credential: string) => void,
): HTMLElement {
  const input = h("input", {
    id: "credential",
    type: "password",
    autocomplete: "current-password",
    required: true,
    spellcheck: "false",
  });
  return h(
    "main",
    { id: "main", class: "sign-in", tabindex: -1 },
    h(
      "form",
      {
        class: "panel",
        submit: (event) => {
          event.preventDefault();
          if (input.value.trim() !== "") onCredential(input.value.trim());
        },
      },
      h("h1", {}, "Waggle dashboard"),
      h(
        "p",
        { class: "caption" },
        "Sign in with the operator credential of the installation, or of one site.",
      ),
      reason === null ? null : h("p", { class: "notice bad", role: "alert" }, reason),
      h("label", { for: "credential" }, "Operator credential"),
      input,
      h("button", { type: "submit", class: "primary" }, "Sign in"),
      h("p", { class: "caption" }, "npm start prints an address that signs you in."),
    ),
  );
}
