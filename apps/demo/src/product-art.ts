/** Drawings of the products by category, colored by material or color. */
import type { Product } from "./environment/index.ts";

type Palette = { readonly main: string; readonly deep: string; readonly light: string };

/** The first attribute that a product has decides. All three colors are readable on the tinted background. */
const PALETTES: readonly (readonly [attribute: string, palette: Palette])[] = [
  ["red", { main: "#c4553f", deep: "#8f3727", light: "#e38a72" }],
  ["green", { main: "#5b7d5a", deep: "#3c5a3d", light: "#8eac88" }],
  ["blue", { main: "#4b6e92", deep: "#314d6b", light: "#86a4c0" }],
  ["black", { main: "#544f4a", deep: "#2c2926", light: "#857e76" }],
  ["white", { main: "#e9e2d4", deep: "#b9ae99", light: "#fbf8f1" }],
  ["wood", { main: "#b98a55", deep: "#85602f", light: "#d8b487" }],
  ["leather", { main: "#a0673f", deep: "#6f4324", light: "#c8946c" }],
  ["steel", { main: "#9aa3a8", deep: "#6b7479", light: "#c9d0d3" }],
  ["glass", { main: "#9dc3bd", deep: "#6a958e", light: "#cfe4e0" }],
  ["wool", { main: "#c9a66b", deep: "#98773f", light: "#e3cb9d" }],
  ["cotton", { main: "#d6b8a4", deep: "#a98770", light: "#ecd9cc" }],
];
const PLAIN: Palette = { main: "#c2a878", deep: "#8f7848", light: "#dfcca5" };

/** Drawings in a 120 × 120 viewport; `m`, `d` and `l` are the palette's classes. */
const DRAWINGS: { readonly [category: string]: string } = {
  jacket: `<path class="m" d="M44 26 26 38l-8 44 15 4 4-22v36h46V64l4 22 15-4-8-44-18-12-8 7H52z"/><path class="d" d="M52 33h16l-8 11z"/><path class="line" d="M60 44v56M44 78h9M67 78h9"/><path class="l" d="M44 26l8 7-6 7-7-9zM76 26l-8 7 6 7 7-9z"/>`,
  backpack: `<path class="line" d="M50 27v-5a10 10 0 0 1 20 0v5"/><path class="d" d="M27 58h8v34h-8zM85 58h8v34h-8z"/><rect class="m" x="34" y="26" width="52" height="76" rx="18"/><rect class="l" x="41" y="66" width="38" height="27" rx="8"/><path class="line" d="M41 76h38M34 54h52"/><rect class="d" x="56" y="73" width="8" height="8" rx="2"/>`,
  blanket: `<rect class="d" x="22" y="72" width="76" height="20" rx="9"/><rect class="m" x="22" y="52" width="76" height="20" rx="9"/><rect class="l" x="22" y="32" width="76" height="20" rx="9"/><path class="line" d="M40 32v20M50 32v20M40 52v20M50 52v20M40 72v20M50 72v20"/><path class="line" d="M28 92v7M36 92v7M44 92v7M52 92v7M60 92v7M68 92v7M76 92v7M84 92v7M92 92v7"/>`,
  bottle: `<rect class="d" x="51" y="16" width="18" height="12" rx="3"/><path class="m" d="M53 30h14v8c0 6 11 8 11 20v38a8 8 0 0 1-8 8H50a8 8 0 0 1-8-8V58c0-12 11-14 11-20z"/><rect class="l" x="42" y="62" width="36" height="22"/><path class="line" d="M49 56c0-6 4-8 7-11"/>`,
  chair: `<path class="line thick" d="M41 68 36 104M79 68l5 36M46 70l-2 24M74 70l2 24"/><rect class="m" x="39" y="20" width="42" height="36" rx="9"/><path class="line" d="M52 20v36M68 20v36"/><path class="d" d="M41 56h5v10h-5zM74 56h5v10h-5z"/><rect class="l" x="33" y="62" width="54" height="10" rx="5"/>`,
  hat: `<path class="m" d="M32 78c0-30 8-46 28-46s28 16 28 46z"/><rect class="d" x="26" y="74" width="68" height="19" rx="9"/><path class="line" d="M36 74v19M46 74v19M56 74v19M66 74v19M76 74v19M86 74v19"/><path class="line" d="M46 66c1-14 3-22 7-27M74 66c-1-14-3-22-7-27M60 66V38"/><circle class="l" cx="60" cy="29" r="9"/>`,
  lamp: `<path class="l glow" d="M44 58 26 92h68L76 58z"/><path class="m" d="M48 20h24l14 36H34z"/><path class="line" d="M60 56v42"/><path class="d" d="M42 98h36a4 4 0 0 1 4 6H38a4 4 0 0 1 4-6z"/><circle class="l" cx="60" cy="59" r="5"/>`,
  mug: `<path class="line steam" d="M48 32c-5-6 5-9 0-15M60 32c-5-6 5-9 0-15M72 32c-5-6 5-9 0-15"/><path class="line thick" d="M82 54h7c13 0 13 26 0 26h-7"/><path class="m" d="M32 42h52v46a12 12 0 0 1-12 12H44a12 12 0 0 1-12-12z"/><path class="l" d="M32 62h52v14H32z"/><rect class="d" x="32" y="42" width="52" height="6"/>`,
  notebook: `<rect class="d" x="35" y="22" width="58" height="80" rx="5"/><rect class="m" x="30" y="18" width="58" height="80" rx="5"/><rect class="l" x="46" y="34" width="30" height="17" rx="2"/><path class="line" d="M40 18v80M78 18v80"/><path class="line" d="M52 40h18M52 45h12"/>`,
  scarf: `<path class="d" d="M62 54 84 96l-14 8-18-40z"/><path class="m" d="M50 54h18l-6 50H44z"/><path class="l" d="M60 26c22 0 30 10 30 20s-12 18-30 18-30-8-30-18 8-20 30-20z"/><path class="m" d="M60 36c13 0 18 4 18 9s-8 9-18 9-18-4-18-9 5-9 18-9z"/><path class="line" d="M46 88h18M45 96h18M46 104v6M52 104v6M58 104v6M74 103l3 6M80 100l3 6"/>`,
  speaker: `<rect class="m" x="36" y="16" width="48" height="88" rx="11"/><circle class="d" cx="60" cy="72" r="18"/><circle class="l" cx="60" cy="72" r="8"/><circle class="d" cx="60" cy="37" r="9"/><circle class="l" cx="60" cy="37" r="3"/>`,
  umbrella: `<path class="line thick" d="M60 58v36c0 12-16 12-16 1"/><path class="m" d="M16 62c2-26 20-40 44-40s42 14 44 40c-5-7-17-7-22 0-5-7-17-7-22 0-5-7-17-7-22 0-5-7-17-7-22 0z"/><path class="l" d="M60 22c-14 8-20 22-22 40 5-7 17-7 22 0 5-7 17-7 22 0-2-18-8-32-22-40z"/><path class="line" d="M60 22v-7"/>`,
};

/** An `<svg>` of a product. It is decorative, because the product's name is beside it. */
export function productArt(product: Product): SVGSVGElement {
  const palettes = PALETTES.filter(([name]) => product.attributes.includes(name));
  const palette = palettes[0]?.[1] ?? PLAIN;
  // A second material or color applies to the details.
  const detail = palettes[1]?.[1].main ?? palette.light;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 120 120");
  svg.setAttribute("class", `art ${product.attributes.join(" ")}`);
  svg.setAttribute("aria-hidden", "true");
  svg.style.setProperty("--main", palette.main);
  svg.style.setProperty("--deep", palette.deep);
  svg.style.setProperty("--light", detail);
  // The drawings are constants of this file, so no external text is parsed as markup.
  svg.innerHTML = `<g>${DRAWINGS[product.category] ?? ""}</g>`;
  return svg;
}
