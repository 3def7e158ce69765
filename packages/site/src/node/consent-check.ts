/** A site that learns from visitors, or keeps less of them than usual, says so in its own words: the panel's text does not. */
import type { SiteConfig } from "./config-file.ts";

/** @throws WaggleError `INVALID_ARGUMENT` with file and line. */
export function requireConsentText({ source, definition }: SiteConfig): void {
  const { training, consent } = definition;
  const name = (["feedbackWaitSeconds", "judge"] as const).find(
    (one) => training?.[one] !== undefined,
  );
  const learning = name === undefined ? null : source.nodeAt(["training", name]);
  const { collect = "full" } = consent ?? {};
  const shared = (["shareCorrections", "shareMessages"] as const).find(
    (one) => consent?.[one] === true,
  );
  if (shared !== undefined && collect !== "full") {
    throw source.mistake(
      source.nodeAt(["consent", shared]),
      `consent.${shared} sends texts of visitors, and with consent.collect "${collect}" none are kept; leave out one of them`,
    );
  }
  if (learning !== null && collect !== "full") {
    throw source.mistake(
      learning,
      `training.${name} lets the assistant learn from visitors, and with consent.collect "${collect}" nothing is kept to learn from; leave out one of them`,
    );
  }
  if (consent?.text !== undefined) return;
  if (learning !== null) {
    throw source.mistake(
      learning,
      `training.${name} lets the assistant learn from visitors, and the panel's own consent text says that it does not; write consent.text, and a new consent.version`,
    );
  }
  const option = shared ?? (consent?.choices === true ? "choices" : "collect");
  if (option === "collect" && collect === "full") return;
  throw source.mistake(
    source.nodeAt(["consent", option]),
    `the panel's own consent text does not fit consent.${option}; write consent.text, and a new consent.version`,
  );
}
