/** The last lines of a start: what to do now, and what the site lacks. */
import { ADD_ENVIRONMENT, type Site } from "../site/site.ts";

type Started = {
  readonly site: Pick<Site, "project" | "environment">;
  readonly pages: readonly unknown[];
  readonly trainer: boolean;
};

/** The lines, without addresses. */
export function closingLines({ site, pages, trainer }: Started): readonly string[] {
  if (pages.length === 0) {
    return [`no page: ${site.project} has no index.html; Ctrl-C ends everything`];
  }
  if (site.environment === null) {
    return [
      `no environment: the model answers and does not learn, so there is no trainer and no practice page; to change that, ${ADD_ENVIRONMENT}`,
      "open the page and ask for something; Ctrl-C ends everything",
    ];
  }
  return [
    trainer
      ? "open the page and ask for something, or let simulated visitors do tasks; Ctrl-C ends everything"
      : "open the page and ask for something; without a trainer the model does not learn; Ctrl-C ends everything",
  ];
}
