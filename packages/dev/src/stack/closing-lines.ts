/** The last lines of a start: what to do now, and what the site lacks. */
import { learningOf, notLearningText, type Site } from "../site/site.ts";

type Started = {
  readonly site: Pick<Site, "project" | "environment" | "settings" | "trainerArguments">;
  readonly pages: readonly unknown[];
  readonly trainer: boolean;
};

/** The lines, without addresses. */
export function closingLines({ site, pages, trainer }: Started): readonly string[] {
  if (pages.length === 0) {
    return [`no page: ${site.project} has no index.html; Ctrl-C ends everything`];
  }
  const learning = learningOf(site);
  const open = "open the page and ask for something; Ctrl-C ends everything";
  if (learning === "nothing" || learning === "undecided") {
    return [
      `no environment: ${notLearningText(learning)}; there is no trainer and no practice page`,
      open,
    ];
  }
  if (learning === "release" && trainer) {
    const decision =
      site.settings.gateRelease == null
        ? "a judge compares a version with the stable one before it is published"
        : "a version that it publishes waits for visitors, and waggle promote --without-evaluation promotes it";
    return [
      `no environment: the trainer learns from feedback on requests of the page; ${decision}`,
      open,
    ];
  }
  return [
    trainer
      ? "open the page and ask for something, or let simulated visitors do tasks; Ctrl-C ends everything"
      : "open the page and ask for something; without a trainer the model does not learn; Ctrl-C ends everything",
  ];
}
