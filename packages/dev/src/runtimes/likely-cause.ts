/** Why an environment may behave differently in two runtimes, read off its source. */

type Cause = { readonly pattern: RegExp; readonly why: string };

/** The most specific ones first. */
const CAUSES: readonly Cause[] = [
  {
    pattern: /\.toLocale(?:String|DateString|TimeString|UpperCase|LowerCase)\b/,
    why: "depends on the language and the time zone; write the text from its parts",
  },
  {
    pattern: /\.localeCompare\b|\bIntl\.\w+/,
    why: "depends on the language and on the runtime's tables; compare with <, and write texts from their parts",
  },
  {
    pattern: /\bMath\.random\b|\bcrypto\.(?:randomUUID|getRandomValues)\b/,
    why: "is not seeded; draw from random and pick in tasks, and keep what tools need in the state",
  },
  {
    pattern: /\bnew Date\(\)|\bDate\.now\b|\bperformance\.now\b/,
    why: "depends on the time; keep a date in the state",
  },
  {
    pattern:
      /\.get(?:Timezone|Hours|Minutes|Day|Date|Month|FullYear)\w*\(|\.to(?:Date|Time)?String\(\)|\bDate\.parse\b|\bnew Date\(/,
    why: "may depend on the time zone; use the UTC methods and dates such as 2026-01-31T00:00:00Z",
  },
  {
    pattern:
      /(?<![\w.])(?:process|navigator|window|localStorage|Buffer|__dirname)\b(?=[.[])|\bglobalThis\b|\brequire\(|["']node:\w+/,
    why: "is not the same in Node, Workers and pages; leave it out, or pass what you need in the state",
  },
  {
    pattern: /\bMath\.(?:a?sinh?|a?cosh?|a?tanh?|atan2|exp(?:m1)?|log(?:1p|2|10)?|cbrt|pow)\b/,
    why: "may differ in its last digits; round the result",
  },
  {
    pattern: /\.stack\b|\.message\b|\bString\(error\)/,
    why: "may read the runtime's own words; throw errors with words of yours",
  },
];

const UNKNOWN =
  "Look for what depends on the language, the time zone, the time, unseeded random numbers, the order of members, or Math functions with many digits";

/** A sentence with at most two causes that occur in the author's files. */
export function likelyCause(
  sources: readonly { readonly file: string; readonly text: string }[],
): string {
  const found = CAUSES.flatMap(({ pattern, why }) => {
    const uses = sources.flatMap(({ text }) => pattern.exec(text)?.[0] ?? []);
    return uses.slice(0, 1).map((use) => `${use.replace(/^[."']|\($/g, "")} ${why}`);
  });
  return found.length === 0 ? UNKNOWN : `Likely cause: ${found.slice(0, 2).join("; or: ")}`;
}
