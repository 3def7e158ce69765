/** A site that learns from visitors asks for it in its own words: the panel's own text says that nothing learns from them. */
import type { SiteConfig } from "./config-file.ts";

/** @throws WaggleError `INVALID_ARGUMENT` with file and line. */
export function requireConsentText({ source, definition }: SiteConfig): void {
  const { training, consent } = definition;
  const name = (["feedbackWaitSeconds", "judge"] as const).find(
    (one) => training?.[one] !== undefined,
  );
  if (name === undefined || consent?.text !== undefined) return;
  throw source.mistake(
    source.nodeAt(["training", name]),
    `training.${name} lets the assistant learn from visitors, and the panel's own consent text says that it does not; write consent.text, and a new consent.version`,
  );
}
