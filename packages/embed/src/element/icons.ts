/** The icons of the panel. */

/** A 16 px icon of strokes in the text color, hidden from screen readers. */
export function icon(path: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(space, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

/** SVG paths of the panel's icons. */
export const ICONS = {
  send: "M8 13V3M3.5 7.5 8 3l4.5 4.5",
  stop: "M4.5 4.5h7v7h-7z",
  retry: "M13 8a5 5 0 1 1-1.5-3.5M13 2.5v3h-3",
  up: "M5 7.5 7.5 2.5c1 0 1.6.7 1.4 1.7L8.5 6.500h3.7c.9 0 1.500.800 1.300 1.700l-.9 3.800c-.2.8-.7 1-1.300 1H5zM5 7.500H2.500v5.500H5",
  down: "M11 8.500 8.500 13.500c-1 0-1.600-.7-1.400-1.700l.4-2.300H3.800c-.9 0-1.500-.8-1.300-1.700l.9-3.800c.2-.8.7-1 1.300-1H11zM11 8.500h2.500V3H11",
  shield: "M8 2 3 4v3.500c0 3 2 5.300 5 6.500 3-1.200 5-3.500 5-6.500V4z",
  back: "M9.500 3.500 5 8l4.500 4.500",
  check: "M3.500 8.500 6.500 11.500 12.500 5",
  cross: "M4.500 4.500l7 7M11.500 4.500l-7 7",
  plus: "M8 3.500v9M3.500 8h9",
} as const;
