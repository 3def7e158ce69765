/** Colors of the page for things that are drawn, not styled: canvases know no CSS variables. */

/** The computed color of a CSS variable, as the current color scheme has it. */
export function themeColor(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Calls `fn` when the color scheme changes. @returns what stops it */
export function onThemeChange(fn: () => void): () => void {
  const query = matchMedia("(prefers-color-scheme: dark)");
  query.addEventListener("change", fn);
  return () => query.removeEventListener("change", fn);
}
