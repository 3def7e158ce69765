/** The settings of a site's base must fit each other. */
import type { SiteConfig } from "./config-file.ts";

/** @throws WaggleError `INVALID_ARGUMENT` with file and line for mistakes or habits of a base that goes on from a model. */
export function requireFittingBase({ source, definition }: SiteConfig): void {
  const { from, ...base } = definition.base ?? {};
  const field = (["mistakes", "habits"] as const).find((name) => base[name] !== undefined);
  if (from === undefined || field === undefined) return;
  throw source.mistake(
    source.nodeAt(["base", field]),
    `base.from makes a base without mistakes on purpose, so base.${field} has no effect; leave one of them out`,
  );
}
