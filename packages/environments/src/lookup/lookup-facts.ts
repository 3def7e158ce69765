/** The facts about the people of a `lookup` task, and the tool that reveals them. */
import { WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { type RunnableTools, tool } from "../runnable-tool.ts";
import { ATTRIBUTE, type LookupInstance, PEOPLE, RELATIONS } from "./lookup-instance.ts";

/** State of one task: its facts and what was looked up. */
export type Facts = {
  readonly instance: Pick<LookupInstance, "fact">;
  calls: number;
  /** Values returned so far, in order. */
  readonly said: string[];
};

/** The look-up tool. */
export const LOOKUP_TOOLS: RunnableTools<Facts> = {
  look: tool({
    description: "boss, friend or city of a person.",
    schema: z.strictObject({ name: z.string().max(16), field: z.string().max(16) }),
    run: ({ name, field }, facts: Facts) => {
      facts.calls += 1;
      const person = PEOPLE.find((other) => other === name);
      const known = ([...RELATIONS, ATTRIBUTE] as const).find((other) => other === field);
      if (person === undefined) throw new WaggleError("TOOL_FAILED", "nobody of that name");
      if (known === undefined) throw new WaggleError("TOOL_FAILED", "no such field");
      const value = facts.instance.fact(person, known);
      facts.said.push(value);
      return value;
    },
  }),
};

/** The person a question asks about, in words: "the boss of ann". */
export function wordsFor({ start, path }: Pick<LookupInstance, "start" | "path">): string {
  return path.reduce((whom: string, relation) => `the ${relation} of ${whom}`, start);
}
