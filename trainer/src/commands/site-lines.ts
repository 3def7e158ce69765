/** Sites as lines for people. */
import type { CreateSiteResponse, Site } from "@waggle/protocol";
import { siteSettingTexts } from "../options/site-settings.ts";

/** After a new credential. */
export const ONCE = "Keep the credentials; the edge does not show them again.";

/** The site's state and its settings. Settings from the Worker's variables come last. */
export function siteLines({ id, name, disabledAt, settings, stored }: Site): string[] {
  const state = disabledAt === null ? "served" : `disabled since ${disabledAt}`;
  const own = new Set(stored ?? Object.keys(settings));
  const lines = (isStored: boolean): string[] => {
    const shown = Object.entries(settings).filter(([setting]) => own.has(setting) === isStored);
    return siteSettingTexts(Object.fromEntries(shown)).map((line) => `  ${line}`);
  };
  const variables = lines(false);
  const rest = variables.length === 0 ? [] : ["from the Worker's variables:", ...variables];
  return [`${id} (${name}): ${state}`, ...lines(true), ...rest];
}

/** A new site with its credentials. */
export function createdLines(created: CreateSiteResponse): string[] {
  return [
    ...siteLines(created.site),
    `trainer's credential: ${created.trainerCredential}`,
    `operator's credential: ${created.operatorCredential}`,
    ONCE,
  ];
}
