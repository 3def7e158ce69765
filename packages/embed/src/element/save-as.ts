/** Saves a text as a file of the visitor. */
import { h } from "../dom.ts";

/** Offers the text as a download. */
export function saveAs(fileName: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: fileName }).click();
  // The browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
