/** On a narrow screen the assistant is a sheet over the shop, with buttons to open and close it. */
import { required } from "@waggle/embed/dom";

/** Connects the buttons. */
export function connectSheet(): void {
  const sheet = required("agent-sheet", HTMLElement);
  const open = required("sheet-open", HTMLButtonElement);
  const close = required("sheet-close", HTMLButtonElement);
  const set = (isOpen: boolean): void => {
    sheet.classList.toggle("open", isOpen);
    open.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) required("agent", HTMLElement).focus();
    else open.focus();
  };
  open.addEventListener("click", () => set(true));
  close.addEventListener("click", () => set(false));
  sheet.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) set(false);
  });
}
