/** A button in the corner of the window that opens and closes the panel. */
import { h } from "../dom.ts";
import { icon, ICONS } from "./icons.ts";
import type { Panel } from "./panel.ts";
import type { PanelTexts } from "./panel-texts.ts";

/** Wraps the panel. The panel is closed at first; Escape closes it. */
export function createLauncher(panel: Panel, texts: PanelTexts): HTMLElement {
  const button = h(
    "button",
    { class: "launcher", type: "button", "aria-expanded": "false" },
    texts.open,
  );
  const close = h(
    "button",
    { class: "tool-button", type: "button", "aria-label": texts.close, title: texts.close },
    icon(ICONS.cross),
  );
  panel.element.querySelector("header")?.append(close);
  const set = (isOpen: boolean): void => {
    panel.element.hidden = !isOpen;
    button.hidden = isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) panel.focus();
    else button.focus();
  };
  panel.element.hidden = true;
  button.addEventListener("click", () => set(true));
  close.addEventListener("click", () => set(false));
  panel.element.addEventListener("keydown", (event) => {
    // The panel itself uses Escape to close a view or to stop an answer.
    if (event.key === "Escape" && !event.defaultPrevented) set(false);
  });
  return h("div", { class: "launched" }, panel.element, button);
}
