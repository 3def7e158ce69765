/** What others publish about their models in the leaderboard's two categories. */

/** Shares in percent; `null` = not published. */
export type PublishedFigure = {
  readonly model: string;
  readonly simple: number | null;
  readonly multiple: number | null;
  readonly source: string;
  readonly note: string;
};

export const PUBLISHED_FIGURES: readonly PublishedFigure[] = [
  {
    model: "Qwen3-0.6B (function calling)",
    simple: 64.17,
    multiple: 86,
    source: "https://gorilla.cs.berkeley.edu/leaderboard.html, updated 2026-04-12, non-live AST",
    note: "its simple is the mean of Python, Java and JavaScript; ours is Python alone",
  },
  {
    model: "FunctionGemma 270M",
    simple: 61.6,
    multiple: null,
    source:
      "https://discuss.ai.google.dev/t/inquiry-regarding-the-evaluation-setup-for-functiongemma-on-bfcl-benchmark/114131",
    note: "without examples, as Google's answer there quotes the model card; no citable figure for multiple was found",
  },
];
