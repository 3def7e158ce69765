/** What a tool does with a subject: names, descriptions and the ways in which people ask for it. */
import type { Field } from "./fields.ts";

/** Subjects of a group have the same actions. */
export type SubjectGroup =
  | "event"
  | "document"
  | "device"
  | "order"
  | "place"
  | "work"
  | "person"
  | "animal"
  | "plant"
  | "vehicle"
  | "stock";

/** A group, the nouns, and the fields. */
export type SubjectRows = readonly (readonly [SubjectGroup, nouns: string, fields: string])[];

/**
 * An action. In its texts, `{n}` is the subject, `{a}` the subject with an article, `{s}` its plural, `{t}` the
 * one thing that is meant, and `{v}` the value. Details follow at the end, or at `{d}`.
 */
export type Action = {
  readonly key: string;
  /** Whether it changes something. The others read. */
  readonly changes: boolean;
  /** Absent = all groups. */
  readonly groups?: readonly SubjectGroup[];
  /** Words of the function's name. */
  readonly names: readonly string[];
  readonly descriptions: readonly string[];
  /** Imperatives: `cancel {t}`. */
  readonly clauses: readonly string[];
  /** Whole sentences that ask for it in another way. */
  readonly wishes: readonly string[];
  /** What was done, after "I": `canceled {t}`. Reading actions have none. */
  readonly done?: string;
  /** Whether it acts on one thing, named or by id. */
  readonly target?: true;
  readonly value?: Field;
  /** `record`: fields of a new record. `filter`: what to look for. `filters`: the same, but not required. */
  readonly details?: "record" | "filter" | "filters";
};

/** The lines of a text, without empty ones. */
export const lines = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
