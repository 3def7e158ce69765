/** Sites as lines for people. */
import type { CreateSiteResponse, Site } from "@waggle/protocol";
import { siteSettingTexts } from "../options/site-settings.ts";

/** After a new credential. */
export const ONCE = "Keep the credentials; the edge does not show them again.";

/** The site's state and settings. */
export function siteLines({ id, name, disabledAt, settings }: Site): string[] {
  const state = disabledAt === null ? "served" : `disabled since ${disabledAt}`;
  return [`${id} (${name}): ${state}`, ...siteSettingTexts(settings).map((line) => `  ${line}`)];
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
