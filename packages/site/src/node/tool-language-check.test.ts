import { expect, onTestFinished, test } from "vitest";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { loadSite } from "./load-site.ts";

/** The planner, whose languages are en and de, with one text of one file replaced. */
function planted(file: string, text: string, by: string): string {
  const before = PLANNER_FILES[file] ?? "";
  expect(before).toContain(text);
  const { folder, remove } = plannerSite({ [file]: before.replace(text, by) });
  onTestFinished(remove);
  return folder;
}

const LABEL = "label: () => `Moving from ${moved}`";

test.each([
  [
    "a label in one of two languages",
    "tools.ts",
    LABEL,
    'label: { en: "Moving" }',
    /tools\.ts:7:3: the label of the tool "move" has no text in de, and languages names en, de; write label: \{ en: "…", de: "…" \}$/,
  ],
  [
    "a title in another language than the site's",
    "edge-tools.ts",
    "run:",
    'title: { en: "Days", de: "Tage", fr: "Jours" }, run:',
    /edge-tools\.ts:5:3: the title of the tool "holidays" has a text in fr, and languages names en, de/,
  ],
])("%s is refused with file and line", async (_, file, text, by, message) => {
  await expect(loadSite(planted(file, text, by))).rejects.toThrow(message);
});

test.each(['label: "Moving"', 'label: { en: "Moving", de: "Umbuchung läuft" }'])(
  "one text, or one for each language, is accepted: %s",
  async (label) => {
    const { pageTools } = await loadSite(planted("tools.ts", LABEL, label));
    expect(pageTools[0]?.label).toEqual(
      label.includes("{") ? { en: "Moving", de: "Umbuchung läuft" } : "Moving",
    );
  },
);
