/** Messages and tools in the form that chat templates read: OpenAI's, with arguments as objects. */
import { isObject } from "@waggle/protocol";
import type { ToolDefinition } from "@waggle/protocol";

/** A message for a template. */
export type TemplateMessage = {
  readonly role: string;
  readonly content: string;
  /** OpenAI's calls, with arguments as objects. */
  readonly tool_calls?: readonly unknown[];
};

/** What a template renders. */
export type TemplateMessages = {
  readonly messages: readonly TemplateMessage[];
  readonly tools: readonly unknown[];
};

/** What a template gets. Other members are variables of a model's own template. */
export type TemplateVariables = {
  readonly messages: readonly TemplateMessage[];
  /** In OpenAI's form. `null`: none. */
  readonly tools: readonly unknown[] | null;
  readonly add_generation_prompt: boolean;
  readonly [name: string]: unknown;
};

/** A template that can be rendered. */
export type OpenedTemplate = { readonly render: (variables: TemplateVariables) => string };

/** Converts a tool. `guard` is applied to each of its texts. */
export function toTemplateTool(tool: ToolDefinition, guard: (text: string) => string): unknown {
  const { name, description, parameters } = tool;
  return { type: "function", function: guardAll({ name, description, parameters }, guard) };
}

/** Applies `guard` to all texts in a JSON value, including keys. */
export function guardAll(value: unknown, guard: (text: string) => string): unknown {
  if (typeof value === "string") return guard(value);
  if (Array.isArray(value)) return value.map((item) => guardAll(item, guard));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [guard(key), guardAll(member, guard)]),
  );
}

/** The tool of renderings that find out what a template writes between messages. */
export const PROBE_TOOL: unknown = {
  type: "function",
  function: { name: "probe", description: "probe", parameters: { type: "object", properties: {} } },
};
