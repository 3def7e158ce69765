/** A writer that returns new text in the requested form on each call, and records its requests. */
import type { WriterPort } from "@waggle/learning";

/** A writer with its recorded requests. */
export type ScriptedWriter = WriterPort & { readonly asked: string[] };

export function scriptedWriter(): ScriptedWriter {
  const asked: string[] = [];
  return {
    asked,
    write: async (prompt) => {
      asked.push(prompt);
      const text = `Advice ${asked.length}.`;
      return prompt.includes("JSON array of edits")
        ? JSON.stringify([{ edit: "add", text }])
        : `Here: ${JSON.stringify({
            prompt: text,
            improver: `Improve it ${asked.length}.`,
            critique: `Criticism ${asked.length}.`,
          })}`;
    },
  };
}
