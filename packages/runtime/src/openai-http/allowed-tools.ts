/** OpenAI's `tool_choice` of type `allowed_tools`: some of the tools, and whether one must be called. */
import { isObject } from "@waggle/protocol";
import { requestError } from "../chat/request-error.ts";

type Fields = { readonly [name: string]: unknown };

/**
 * The request with only the allowed tools, and their mode as its choice. Differs from OpenAI's server: the model does
 * not read the other tools.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for an allowed tool that the request does not have.
 */
export function withAllowedTools(body: Fields): Fields {
  const { tools, tool_choice: choice } = body;
  if (!isObject(choice) || choice["type"] !== "allowed_tools" || !Array.isArray(tools)) return body;
  const { mode, tools: listed } = isObject(choice["allowed_tools"]) ? choice["allowed_tools"] : {};
  const names = Array.isArray(listed) ? listed.map(nameOf) : [];
  const allowed = tools.filter((tool) => names.includes(nameOf(tool)));
  if (
    allowed.length === 0 ||
    names.some((name) => !allowed.some((tool) => nameOf(tool) === name))
  ) {
    const message = "must name tools of the request";
    throw requestError("INVALID_ARGUMENT", "tool_choice.allowed_tools", message);
  }
  return { ...body, tools: allowed, tool_choice: mode };
}

function nameOf(tool: unknown): unknown {
  const described = isObject(tool) ? tool["function"] : undefined;
  return isObject(described) ? described["name"] : undefined;
}
