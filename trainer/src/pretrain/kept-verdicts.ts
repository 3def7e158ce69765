/**
 * Verdicts of a measurement, kept in a file, so that a stopped or killed measurement loses none. Rolls out and judges
 * nothing.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Verification } from "@waggle/protocol";
import { z } from "zod";

export type KeptVerdict = Pick<Verification, "success" | "parts">;

const Line = z.object({
  /** Hash of the model. */
  model: z.string(),
  /** Which of the measurements of a model. */
  of: z.string(),
  place: z.number().int(),
  success: z.boolean(),
  parts: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
});
type Line = z.infer<typeof Line>;

export class KeptVerdicts {
  readonly #file: string;
  readonly #model: string;
  readonly #lines = new Map<string, Line>();

  /** @param model - hash; verdicts on another model are dropped. */
  constructor(file: string, model: string) {
    this.#file = file;
    this.#model = model;
    if (!existsSync(file)) return;
    for (const text of readFileSync(file, "utf8").split("\n")) {
      const line = lineOf(text);
      if (line?.model === model) this.#lines.set(keyOf(line), line);
    }
    // A line that was cut off would spoil the next one.
    writeFileSync(file, [...this.#lines.values()].map(textOf).join(""));
  }

  /** The verdict on the task with this index. */
  at(of: string, place: number): KeptVerdict | undefined {
    return this.#lines.get(keyOf({ of, place }));
  }

  /** Those on the first `count` tasks, as far as they are judged. */
  of(of: string, count: number): readonly KeptVerdict[] {
    return [...this.#lines.values()].filter((line) => line.of === of && line.place < count);
  }

  add(of: string, place: number, { success, parts }: KeptVerdict): void {
    const line = { model: this.#model, of, place, success, parts };
    this.#lines.set(keyOf(line), line);
    mkdirSync(dirname(this.#file), { recursive: true });
    appendFileSync(this.#file, textOf(line));
  }

  /** Once the measurement is complete. */
  remove(): void {
    rmSync(this.#file, { force: true });
  }
}

const keyOf = ({ of, place }: Pick<Line, "of" | "place">): string => `${of} ${place}`;

const textOf = (line: Line): string => `${JSON.stringify(line)}\n`;

/** `null` for a line that was cut off. */
function lineOf(text: string): Line | null {
  try {
    return Line.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
