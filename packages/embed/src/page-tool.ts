/** Checks the tools that a page author writes, and converts them to tools of the agent loop. */
import { toolText, WaggleError } from "@waggle/protocol";
import type { Tool, ToolText } from "@waggle/protocol";
import { jsonSchemaOf, type PageTool, parsedArguments } from "@waggle/agent/tools";
import type { McpServer } from "./agent-options.ts";
import type { Confirmations } from "./confirmations.ts";

/**
 * Converts the tool to the form that the agent loop runs.
 *
 * @param language - of labels and questions; absent = the first of each.
 * @throws WaggleError `INVALID_ARGUMENT` if its schema is not one of an object, saying what to write instead.
 */
export function toTool(tool: PageTool, confirmations: Confirmations, language?: string): Tool {
  const { name, description, parameters, run, changes = false, timeoutMs = 15_000 } = tool;
  const { confirm = changes && "unsure" } = tool;
  const converted: Tool = {
    definition: {
      name,
      description,
      parameters: jsonSchemaOf(`tools.${name}.parameters`, parameters),
      source: "page",
    },
    timeoutMs,
    changes,
    run: async (args, signal) =>
      (await run((await parsedArguments(parameters, args)) as typeof args, { signal })) ?? null,
  };
  if (confirm === false) return converted;
  if (confirm === "unsure") return askedIfUnsure(converted, confirmations, [tool], language);
  return {
    ...converted,
    allows: async (args, signal) => {
      const question = questionOf(tool, args, language);
      return question === null || confirmations.ask(name, question, signal);
    },
  };
}

/** Tools of servers. The visitor is asked before one changes something if the model is unsure. */
export function toRemoteTools(
  tools: readonly Tool[],
  confirmations: Confirmations,
  language?: string,
): readonly Tool[] {
  return tools.map((tool) =>
    tool.changes === true ? askedIfUnsure(tool, confirmations, [], language) : tool,
  );
}

function askedIfUnsure(
  tool: Tool,
  confirmations: Confirmations,
  labels: readonly Pick<PageTool, "name" | "label">[],
  language: string | undefined,
): Tool {
  const { name } = tool.definition;
  return {
    ...tool,
    allows: (args, signal, probability) =>
      confirmations.askIfUnsure(
        name,
        labelOf(labels, [tool], name, args, language),
        signal,
        probability,
      ),
  };
}

/**
 * What the visitor is asked before a call; `null` if `confirm` says not to ask. Anything else than a question or
 * `false`, such as an exception or a promise, asks with the label, so that a mistake never runs the tool unasked.
 */
function questionOf(
  tool: PageTool,
  args: Parameters<PageTool["run"]>[0],
  language: string | undefined,
): string | null {
  try {
    const { confirm } = tool;
    const answer = typeof confirm === "function" ? confirm(args) : confirm;
    if (answer === false) return null;
    const question = toolText(answer as ToolText, language);
    if (question.trim() !== "") return question;
  } catch {
    // Asked with the label.
  }
  return labelOf([tool], [], tool.name, args, language);
}

/**
 * What the visitor reads about a call: the label of a page tool, or the title of a server's tool. A label that throws
 * costs the label only.
 */
export function labelOf(
  tools: readonly Pick<PageTool, "name" | "label">[],
  remoteTools: readonly Pick<Tool, "definition" | "title">[],
  name: string,
  args: Parameters<PageTool["run"]>[0],
  language: string | undefined,
): string {
  const title = remoteTools.find(({ definition }) => definition.name === name)?.title ?? "";
  const plain = toolText(title, language).trim() || name.replaceAll("_", " ");
  try {
    const label = tools.find((tool) => tool.name === name)?.label ?? plain;
    const text = typeof label === "function" ? label(args) : label;
    return toolText(text, language).slice(0, 200) || plain;
  } catch {
    return plain;
  }
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const LONGEST_CALL_MS = 120_000;

/**
 * @throws WaggleError `INVALID_ARGUMENT` if a name, a time limit or a server's URL is invalid, or two tools have the
 *   same name.
 */
export function requireValidTools(
  pageTools: readonly Pick<PageTool, "name" | "timeoutMs">[],
  edgeTools: readonly string[],
  mcpServers: readonly McpServer[],
): void {
  const mcpNames = mcpServers.flatMap(({ tools }) => tools);
  const names = [...pageTools.map(({ name }) => name), ...edgeTools, ...mcpNames];
  const invalid = names.find((name) => !TOOL_NAME.test(name));
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (invalid !== undefined) {
    throw mistake(
      `"${invalid.slice(0, 64)}" cannot be the name of a tool; use only letters, digits, _ and -`,
    );
  }
  if (duplicate !== undefined)
    throw mistake(`two tools have the name "${duplicate}"; rename one or leave it out`);
  const unreachable = mcpServers.find(
    ({ url }) => !/^https?:$/.test(URL.parse(url)?.protocol ?? ""),
  );
  if (unreachable !== undefined) {
    throw mistake(
      `the MCP server ${JSON.stringify(unreachable.url.slice(0, 200))} has no URL with https:// or http://`,
    );
  }
  for (const { name, timeoutMs = 1 } of pageTools) {
    if (!(timeoutMs >= 1 && timeoutMs <= LONGEST_CALL_MS)) {
      throw mistake(
        `the tool "${name}" has timeoutMs ${timeoutMs}; use 1 to ${LONGEST_CALL_MS} milliseconds`,
      );
    }
  }
}

function mistake(message: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", message);
}
