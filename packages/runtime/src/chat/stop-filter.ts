/** Ends a text at the first of several stop texts, even if one arrives in pieces. */

export interface StopFilter {
  /** @returns text that cannot be the start of a stop text. */
  push(text: string): string;
  /** @returns the text held back. */
  end(): string;
  /** True once a stop text arrived; no text is returned after that. */
  readonly isStopped: boolean;
}

export function createStopFilter(stops: readonly string[]): StopFilter {
  let held = "";
  let isStopped = false;
  return {
    get isStopped() {
      return isStopped;
    },
    push(text) {
      if (isStopped) return "";
      held += text;
      const found = stops.map((stop) => held.indexOf(stop)).filter((at) => at !== -1);
      isStopped = found.length > 0;
      const end = isStopped
        ? Math.min(...found)
        : held.length - Math.max(0, ...stops.map((stop) => beginningOf(stop, held)));
      const out = held.slice(0, end);
      held = isStopped ? "" : held.slice(end);
      return out;
    },
    end() {
      const out = held;
      held = "";
      return out;
    },
  };
}

/** Length of the longest suffix of `text` that is a prefix of `stop`. */
function beginningOf(stop: string, text: string): number {
  for (let length = Math.min(stop.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(stop.slice(0, length))) return length;
  }
  return 0;
}
