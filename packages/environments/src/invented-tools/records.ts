/** Records that tools return: an id, a name and fields of the subject. */
import { integerBelow, pick } from "../draw.ts";
import { chance, type Drawing, shuffled } from "./drawing.ts";
import { type Field, type FieldKey, FIELDS } from "./fields.ts";
import type { Subject } from "./subjects.ts";
import type { Value } from "./values.ts";
import * as values from "./values.ts";

export type InventedRecord = {
  readonly id: Value;
  readonly name: Value;
  readonly fields: ReadonlyMap<FieldKey, Value>;
};

/** The record as a tool returns it. */
export function recordJson({ id, name, fields }: InventedRecord): { [key: string]: unknown } {
  return {
    id: id.argument,
    name: name.argument,
    ...Object.fromEntries([...fields].map(([key, { argument }]) => [key, argument])),
  };
}

/** A name that shares a word with another one. */
function similarName(drawing: Drawing, other: string): string {
  const [first = other] = other.split(" ");
  const { random } = drawing;
  return pick(random, [
    `${first} ${1 + integerBelow(random, 20)}`,
    `${first} ${String(values.person(drawing).argument)}`,
    `${values.properName(drawing).split(" ")[0] ?? ""} ${first}`,
  ]);
}

/** Records of a subject. No two of them share an id, a name or a value of a field. */
export function drawRecords(
  drawing: Drawing,
  subject: Subject,
  count: number,
  keys: readonly FieldKey[],
  idKind: "code" | "number",
): readonly InventedRecord[] {
  const areSimilar = chance(drawing, 0.35);
  const used = new Set<string>();
  const fresh = (draw: () => Value): Value => {
    for (let trial = 0; ; trial += 1) {
      const value = draw();
      const text = String(value.argument).toLowerCase();
      // Enums have few values: they may repeat.
      if (used.has(text) && trial < 20) continue;
      used.add(text);
      return value;
    }
  };
  const records: InventedRecord[] = [];
  for (let i = 0; i < count; i += 1) {
    const first = records[0];
    const plainName = () => {
      const argument =
        areSimilar && first !== undefined
          ? similarName(drawing, String(first.name.argument))
          : subject.group === "person"
            ? String(values.person(drawing).argument)
            : values.properName(drawing);
      return { argument, said: argument };
    };
    records.push({
      id: fresh(() => (idKind === "code" ? values.code(drawing) : values.numericId(drawing))),
      name: fresh(plainName),
      fields: new Map(keys.map((key) => [key, fresh(() => FIELDS[key].draw(drawing))])),
    });
  }
  return shuffled(drawing, records);
}

/** Fields of a subject whose values tell records apart. */
export function tellingFields({ fields }: Subject): readonly FieldKey[] {
  return fields.filter(
    (key) => typeof FIELDS[key].type === "string" && FIELDS[key].type !== "boolean",
  );
}

/** A mention of a field's value: `on 2026-03-14`. */
export function mention(drawing: Drawing, field: Field, { said }: Value): string {
  return pick(drawing.random, field.phrases).replace("{}", () => said);
}
