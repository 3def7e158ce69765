/** Asks on a terminal for what the options did not say. */
import { cancel, intro, isCancel, select, text } from "@clack/prompts";
import { folderProblem, TEMPLATES, type Template } from "./project.ts";

/** What to make, and where. */
export type Site = { readonly folder: string; readonly template: Template };

type Known = { readonly folder: string | undefined; readonly template: Template | undefined };

/** @returns null if the user gave up. */
export async function askForSite(known: Known, defaults: Site): Promise<Site | null> {
  intro("A site whose assistant learns in the browsers of its visitors");
  const folder =
    known.folder ??
    (await text({
      message: "Which folder?",
      placeholder: defaults.folder,
      defaultValue: defaults.folder,
      validate: (given) => folderProblem(given || defaults.folder) ?? undefined,
    }));
  if (isCancel(folder)) return gaveUp();
  const options = Object.entries(TEMPLATES) as [Template, string][];
  const template =
    known.template ??
    (await select({
      message: "What is it written in?",
      initialValue: defaults.template,
      options: options.map(([value, hint]) => ({ value, label: value, hint })),
    }));
  if (isCancel(template)) return gaveUp();
  return { folder, template };
}

function gaveUp(): null {
  cancel("Nothing was written.");
  return null;
}
