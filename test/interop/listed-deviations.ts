/** Deviations that the documentation lists. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/root.ts";
import type { Deviation } from "./counterpart.ts";

/** The table of `docs/how-to/runtime.md`, whose rows `openai-differences.test.ts` checks. */
export function openAIDeviations(): Deviation[] {
  const page = readFileSync(join(ROOT, "docs/how-to/runtime.md"), "utf8");
  const section = page.split("### Differences from OpenAI's server\n")[1]?.split("\n## ")[0] ?? "";
  const rows = [...section.matchAll(/^\| (.+) \| (.+) \| (.+) \|$/gm)].slice(1);
  return rows.map(([, request = "", answer = "", reason = ""]) => ({
    case: request,
    reason: `${answer}: ${reason}`,
  }));
}
