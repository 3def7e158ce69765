/**
 * Renders what `NANO_CHAT_TEMPLATE` and `DESCRIBED_TOOLS_TEMPLATE` render, without Jinja. A page with a model of its
 * site loads no Jinja.
 */
import { isObject } from "@waggle/protocol";
import { DESCRIBED_TOOLS_TEMPLATE, NANO_CHAT_TEMPLATE } from "./nano-template.ts";
import type { OpenedTemplate, TemplateVariables } from "./template-message.ts";

/** `null` for another template. */
export function nanoTemplate(source: string): OpenedTemplate | null {
  const isDescribed = source === DESCRIBED_TOOLS_TEMPLATE;
  if (!isDescribed && source !== NANO_CHAT_TEMPLATE) return null;
  return { render: (variables) => rendered(variables, isDescribed) };
}

/** Calls are not rendered: a nano model's format writes them itself. */
function rendered(
  { messages, tools, add_generation_prompt }: TemplateVariables,
  isDescribed: boolean,
): string {
  const signatures = tools?.[0]
    ? `Tools:${tools.map((tool) => signature(tool as NanoTool, isDescribed)).join("")}`
    : null;
  let text =
    signatures !== null && messages[0]?.role !== "system"
      ? `<|im_start|>system\n${signatures}<|im_end|>`
      : "";
  for (const [i, { role, content }] of messages.entries()) {
    if (role === "tool") {
      if (messages[i - 1]?.role !== role) text += "<|im_start|>tool\n";
      text += `<tool_response>${content}</tool_response>`;
      if (messages[i + 1]?.role !== role) text += "<|im_end|>";
    } else {
      const ending = i === 0 && role === "system" && signatures !== null ? `\n${signatures}` : "";
      text += `<|im_start|>${role}\n${content}${ending}<|im_end|>`;
    }
  }
  return add_generation_prompt ? `${text}<|im_start|>assistant\n` : text;
}

/** A tool as `toTemplateTool` makes it. */
type NanoTool = {
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters: { readonly properties?: unknown; readonly required?: unknown };
  };
};

/** For example ` search(query,maxPrice?)`. */
function signature({ function: tool }: NanoTool, isDescribed: boolean): string {
  const { name, description, parameters } = tool;
  const { required } = parameters;
  const names = Object.entries(isObject(parameters.properties) ? parameters.properties : {}).map(
    ([key, schema]) => {
      const isOptional = !(Array.isArray(required) && required.includes(key));
      const values = isDescribed && isObject(schema) ? schema["enum"] : null;
      const listed = Array.isArray(values) && values.length > 0 ? `=${values.join("|")}` : "";
      return key + (isOptional ? "?" : "") + listed;
    },
  );
  const ending = isDescribed && description ? ` ${description}` : "";
  return `${isDescribed ? "\n" : " "}${name}(${names.join(",")})${ending}`;
}
