/** Theme colors for canvases, which cannot use CSS variables. */

/** The value of a CSS color variable under the current color scheme. */
export function themeColor(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Calls `fn` when the color scheme changes. @returns a function that stops it */
export function onThemeChange(fn: () => void): () => void {
  const query = matchMedia("(prefers-color-scheme: dark)");
  query.addEventListener("change", fn);
  return () => query.removeEventListener("change", fn);
}
