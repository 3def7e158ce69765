/** A tool as a page author writes it. */
import type { ToolText } from "@waggle/protocol";
import type { ArgumentSchema } from "./argument-schema.ts";

/** Arguments that match the tool's schema. */
type Arguments = { readonly [key: string]: unknown };

/** A function of the page that the model can call. `definePageTools` infers the type of its arguments. */
export type PageTool<Schema extends ArgumentSchema = ArgumentSchema> = {
  /** `[a-zA-Z0-9_-]{1,64}`, unique among all tools. */
  readonly name: string;
  /** One sentence that tells the model what the tool does. */
  readonly description: string;
  /**
   * JSON Schema of the arguments object, or a schema of zod, valibot or ArkType. `run` is called only with arguments
   * that match it.
   */
  readonly parameters: Schema;
  /**
   * What the visitor reads about a call, such as `Searching for mugs`, or `{ en: "Searching", de: "Suche läuft" }` in
   * several languages. Default: the name with spaces.
   */
  readonly label?: ToolText | ((args: Arguments) => ToolText);
  /** Whether a call changes something that lasts, such as a cart. See `confirm`. Default false. */
  readonly changes?: boolean;
  /**
   * A question that the visitor must allow before `run` is called, such as `Pay 20 euros?`, in one or more languages. `true` asks with the
   * label, `false` does not ask. A function decides by the arguments; if it throws, the visitor is asked with the label.
   * If the visitor declines, the model reads a failed result.
   *
   * `"unsure"` asks with the label only if the model is unsure whether the call is right. Only a model with a
   * `calibration.json` can tell; with others, nothing is asked. Default: `"unsure"` for a tool that `changes` something,
   * otherwise no question.
   */
  readonly confirm?: boolean | "unsure" | ((args: Arguments) => ToolText | boolean);
  /** Time limit of `run` in milliseconds, 1 to 120,000. Default 15,000. */
  readonly timeoutMs?: number;
  /** Runs the tool in the page. @returns a JSON value; an exception becomes a failed result. */
  readonly run: (args: Arguments, context: { readonly signal: AbortSignal }) => unknown;
};
