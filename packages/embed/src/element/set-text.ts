/** Text of elements that a screen reader announces. */

/** Sets the text only if it differs, so that screen readers do not repeat it. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
