/**
 * Controls for tables of learning: what the base of an environment solves at each temperature, by
 * seed. One JSON object per line. Runs nothing.
 */
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { SuccessByTemperature } from "@waggle/evaluation";
import { z } from "zod";
import {
  readByTemperature,
  storedByTemperature,
  type StoredByTemperature,
} from "../evaluation/temperature.ts";

type Control = {
  readonly environment: string;
  /** Determines the held-out tasks and their draws. */
  readonly seed: number;
  /** Hex sha256 of the base model's files. */
  readonly baseModel: string;
  readonly evaluationTasks: number;
  readonly successes: SuccessByTemperature;
  /** Measured for seeds with claims. */
  readonly passAt8?: number | undefined;
};

type StoredControl = Omit<Control, "successes"> & { readonly successes: StoredByTemperature };

const StoredControl: z.ZodType<StoredControl> = z.strictObject({
  environment: z.string(),
  seed: z.int(),
  baseModel: z.string(),
  evaluationTasks: z.int().positive(),
  successes: z.record(z.string(), z.string().regex(/^[01]*$/)),
  passAt8: z.number().min(0).max(1).optional(),
});

/** An append-only log of controls. */
export type ControlLog = {
  readonly all: readonly Control[];
  readonly find: (
    environment: string,
    seed: number,
    evaluationTasks: number,
  ) => Control | undefined;
  readonly append: (control: Control) => Promise<void>;
};

/** Opens the log at a path. */
export async function openControlLog(path: string): Promise<ControlLog> {
  const text = await readFile(path, "utf8").catch(() => "");
  const all: Control[] = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const stored = StoredControl.parse(JSON.parse(line));
      return { ...stored, successes: readByTemperature(stored.successes) };
    });
  return {
    all,
    find: (environment, seed, evaluationTasks) =>
      all.find(
        (one) =>
          one.environment === environment &&
          one.seed === seed &&
          one.evaluationTasks === evaluationTasks,
      ),
    append: async (control) => {
      await mkdir(dirname(path), { recursive: true });
      const stored = { ...control, successes: storedByTemperature(control.successes) };
      await appendFile(path, `${JSON.stringify(stored)}\n`);
      all.push(control);
    },
  };
}
