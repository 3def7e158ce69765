/** A sound environment to check, and to plant faults in. Runs in Node, browsers and Workers. Tests only. */
import { checkEnvironment, defineEnvironment, type EnvironmentSpec } from "../index.ts";

const COLORS = ["red", "blue", "green", "black", "white", "brown", "pink", "gray"];
const TEXT = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
} as const;
export type Notes = { notes: string[] };
export type Data = { readonly colors: readonly string[] };

/** Colors to write down in their order, and to count. */
export const SOUND = {
  name: "colors",
  prompt: "You write down colors.",
  levels: 2,
  tasks: ({
    pick,
    level,
  }: {
    pick: <T>(list: readonly T[]) => T;
    level: number;
    split: string;
  }) => {
    const colors = Array.from({ length: 2 + level }, () => pick(COLORS));
    const state: Notes = { notes: [] };
    return { request: `Write ${colors.join(" ")}.`, state, data: { colors } };
  },
  tools: {
    write: {
      description: "Write a color.",
      parameters: TEXT as object & typeof TEXT,
      run: ({ text }: { readonly text: string }, { notes }: Notes): unknown => {
        if (!COLORS.includes(text)) throw new Error("no such color");
        return notes.push(text);
      },
      timeoutMs: 20,
    },
  },
  verify: ({ state, text, data }: { state: Notes; text: string | null; data: Data }) => ({
    success: state.notes.join() === data.colors.join() && text === `${data.colors.length} colors`,
    reasons: [`wrote ${state.notes.join(" ") || "nothing"}`],
  }),
  demonstrate: ({ data: { colors } }: { readonly data: Data }): (string | [string, object])[] => [
    ...colors.map((text): [string, object] => ["write", { text }]),
    `${colors.length} colors`,
  ],
  nearMiss: ({ data: { colors } }: { readonly data: Data }) => [
    [`${colors.length} colors`],
    [...colors.slice(1).map((text): [string, object] => ["write", { text }]), "2 colors"],
  ],
};

/** The environment with other fields. */
export const withFault = (fault: object): EnvironmentSpec =>
  defineEnvironment({ ...SOUND, ...fault } as never);

/** What every check says about the sound environment. */
export async function soundLines(): Promise<string[]> {
  const lines: string[] = [];
  for await (const { check, status, words } of checkEnvironment(withFault({}), { tasks: 5 })) {
    lines.push(`${status} ${check}: ${words}`);
  }
  return lines;
}
