/**
 * `experience`: short texts before the prompt, which are edited instead of weights. Each edit creates a new
 * version, and every version can be restored.
 *
 * Source: Cai et al. 2025, "Training-Free Group Relative Policy Optimization", arXiv:2510.08191
 * (add, modify, delete, keep).
 */
import { option, definePart } from "../composition/part-options.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { wordOverlap } from "./words.ts";

export type Experience = { readonly id: string; readonly text: string };

export type ExperienceEdit =
  | { readonly edit: "add"; readonly text: string }
  | { readonly edit: "modify"; readonly id: string; readonly text: string }
  | { readonly edit: "delete"; readonly id: string };

/** Written experiences in all their versions. */
export type ExperienceLibrary = {
  /** Limits: number of entries and characters per entry. */
  readonly limits: { readonly entries: number; readonly characters: number };
  /** Versions, newest last; the first is empty. */
  readonly versions: readonly (readonly Experience[])[];
  /** Number of entries ever added, for the next id. */
  readonly added: number;
};

export function experienceLibrary(
  limits: ExperienceLibrary["limits"] = { entries: 32, characters: 400 },
): ExperienceLibrary {
  return { limits, versions: [[]], added: 0 };
}

/** The entries of the newest version. */
export function experiencesOf({ versions }: ExperienceLibrary): readonly Experience[] {
  return versions.at(-1) ?? [];
}

export type EditedLibrary = {
  readonly library: ExperienceLibrary;
  /** Edits that could not be made, with a reason code; a writer's mistake is data. */
  readonly refused: readonly { readonly edit: ExperienceEdit; readonly reason: string }[];
};

/** Applies edits as one new version; no new version if no edit could be made. */
export function editExperiences(
  library: ExperienceLibrary,
  edits: readonly ExperienceEdit[],
): EditedLibrary {
  let entries = [...experiencesOf(library)];
  let { added } = library;
  const refused: { edit: ExperienceEdit; reason: string }[] = [];
  for (const edit of edits) {
    const reason = reasonAgainst(library, entries, edit);
    if (reason !== null) refused.push({ edit, reason });
    else if (edit.edit === "add") {
      entries = [...entries, { id: `e${added}`, text: edit.text.trim() }];
      added += 1;
    } else if (edit.edit === "delete") entries = entries.filter(({ id }) => id !== edit.id);
    else {
      entries = entries.map((entry) =>
        entry.id === edit.id ? { ...entry, text: edit.text.trim() } : entry,
      );
    }
  }
  if (refused.length === edits.length) return { library, refused };
  return { library: { ...library, versions: [...library.versions, entries], added }, refused };
}

function reasonAgainst(
  { limits }: ExperienceLibrary,
  entries: readonly Experience[],
  edit: ExperienceEdit,
): string | null {
  if (edit.edit !== "add" && !entries.some(({ id }) => id === edit.id)) return "unknown-id";
  if (edit.edit === "delete") return null;
  const text = edit.text.trim();
  if (text === "") return "empty";
  if (text.length > limits.characters) return "too-long";
  if (edit.edit === "modify") return null;
  if (entries.some((entry) => entry.text === text)) return "already-there";
  return entries.length >= limits.entries ? "full" : null;
}

/** The text before the prompt; empty without entries. */
export function experienceText(library: ExperienceLibrary): string {
  return experiencesOf(library)
    .map(({ text }) => `- ${text}`)
    .join("\n");
}

/**
 * `experience`: lessons. `whole`: all lessons before the task. `by-step`: the lessons most similar to the
 * request, and after each turn those most similar to its result. `none`: rollouts do not read them.
 */
export function experience(
  read?: "whole" | "by-step" | "none",
  {
    limits,
    most,
  }: {
    readonly limits?: ExperienceLibrary["limits"];
    /** Number of lessons that `by-step` fetches. */
    readonly most?: number;
  } = {},
): StatePart<"experience"> {
  return definePart(
    {
      read: option<"whole" | "by-step" | "none">(read, "whole", ["whole", "by-step", "none"]),
      experienceMost: option(most, 2),
    },
    ({ read, experienceMost: most }) => {
      const part = kept("experience", () => experienceLibrary(limits));
      if (read === "none") return part;
      return {
        ...part,
        read: (value, { situation, at }) => {
          const entries = experiencesOf(value as ExperienceLibrary);
          if (read === "whole" && at !== "start") return null;
          const given =
            read === "whole"
              ? entries
              : entries
                  .map((entry) => ({
                    entry,
                    likeness: wordOverlap(entry.text, situation).likeness,
                  }))
                  .filter(({ likeness }) => likeness > 0)
                  .toSorted((a, b) => b.likeness - a.likeness)
                  .slice(0, most)
                  .map(({ entry }) => entry);
          return given.length === 0
            ? null
            : { ids: given.map(({ id }) => id), parts: { lessons: given.map(({ text }) => text) } };
        },
      };
    },
  );
}
