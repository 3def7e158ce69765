/**
 * The tokens of a sampled segment, colored by surprisal. The strip is one tab stop: arrow keys move between
 * tokens, and a tooltip explains the hovered or focused token.
 */
import type { SampledSegment } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { formatNumber, formatPercent } from "./format.ts";
import { tokenHeat, type TokenMeasure } from "./token-heat.ts";

/** The element of a strip, and its coloring. */
export interface TokenStrip {
  readonly element: HTMLElement;
  colorBy(measure: TokenMeasure): void;
}

/** Makes text that is only whitespace visible; line breaks are kept. */
function visible(text: string): string {
  if (text === "") return "·";
  return text.replaceAll("\n", "↵\n");
}

function valuesOf(segment: SampledSegment, measure: TokenMeasure): readonly number[] {
  if (measure === "behavior") return segment.behaviorLogProbs;
  return measure === "raw" ? segment.rawLogProbs : segment.entropies;
}

function explain(segment: SampledSegment, index: number, text: string): HTMLElement {
  const behavior = segment.behaviorLogProbs[index] ?? 0;
  const fact = (label: string, value: string) => [h("dt", {}, label), h("dd", {}, value)];
  const kept = segment.keptTokenIds?.[index];
  return h(
    "dl",
    {},
    ...fact("token", `${JSON.stringify(text)} #${segment.tokenIds[index]}`),
    ...fact("probability", formatPercent(Math.exp(behavior), 2)),
    ...fact("behavior", `${formatNumber(behavior, 4)} nats`),
    ...fact("raw", `${formatNumber(segment.rawLogProbs[index], 4)} nats`),
    ...fact("entropy", `${formatNumber(segment.entropies[index], 4)} nats`),
    ...(kept ? fact("kept set", `${kept.length} tokens`) : []),
  );
}

/** One tooltip for all strips of a page. */
export function createTooltip(): HTMLElement {
  return h("div", { class: "tooltip", role: "tooltip", id: "token-tooltip", hidden: true });
}

function place(tooltip: HTMLElement, token: HTMLElement): void {
  tooltip.hidden = false;
  const box = token.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = tooltip;
  const left = Math.max(8, Math.min(box.left, document.documentElement.clientWidth - width - 8));
  const below = box.bottom + 6;
  const top = below + height > innerHeight ? box.top - height - 6 : below;
  tooltip.style.left = `${left}px`;
  tooltip.style.top = `${top}px`;
}

/** Creates the strip of a segment. */
export function createTokenStrip(
  segment: SampledSegment,
  texts: readonly string[],
  tooltip: HTMLElement,
): TokenStrip {
  const tokens = segment.tokenIds.map((_, i) =>
    h(
      "span",
      {
        class: "token",
        "data-index": i,
        tabindex: i === 0 ? 0 : -1,
        "aria-describedby": "token-tooltip",
      },
      visible(texts[i] ?? ""),
    ),
  );
  const indexOf = (target: EventTarget | null): number =>
    target instanceof HTMLElement && target.dataset["index"] !== undefined
      ? Number(target.dataset["index"])
      : -1;
  const show = (event: Event) => {
    const index = indexOf(event.target);
    const token = tokens[index];
    if (!token) return;
    tooltip.replaceChildren(explain(segment, index, texts[index] ?? ""));
    place(tooltip, token);
  };
  const hide = () => {
    tooltip.hidden = true;
  };
  const move = (event: Event) => {
    if (!(event instanceof KeyboardEvent)) return;
    const index = indexOf(event.target);
    if (event.key === "Escape") hide();
    const next = {
      ArrowRight: index + 1,
      ArrowLeft: index - 1,
      Home: 0,
      End: tokens.length - 1,
    }[event.key];
    const target = next === undefined ? undefined : tokens[next];
    if (!target || index < 0) return;
    event.preventDefault();
    tokens[index]?.setAttribute("tabindex", "-1");
    target.setAttribute("tabindex", "0");
    target.focus();
  };
  const element = h(
    "div",
    {
      class: "tokens",
      role: "group",
      "aria-label": `${tokens.length} sampled tokens; arrow keys move between them`,
      mouseover: show,
      mouseout: hide,
      focusin: show,
      focusout: hide,
      keydown: move,
    },
    ...tokens,
  );
  return {
    element,
    colorBy(measure) {
      const values = valuesOf(segment, measure);
      for (const [i, token] of tokens.entries()) {
        token.style.setProperty("--heat", tokenHeat(measure, values[i] ?? 0).toFixed(3));
      }
    },
  };
}
