/**
 * The grammar of a turn with constrained tool calls: free text, then only calls that match the tools'
 * schemas. If a schema cannot be expressed as a grammar, tool names and JSON syntax are still enforced.
 */
import { WaggleError } from "@waggle/protocol";
import type { GrammarSpec, ToolDefinition } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";

/** Replaces a schema that no grammar can express. The tool validates its arguments when it is called. */
const ANY_ARGUMENTS = { type: "object" };

/** The policy has no grammars at all: it was opened without a tokenizer, or it runs on a server. */
const NO_GRAMMARS = ["TOKENIZER_UNSUPPORTED", "CAPABILITY_MISSING"] as const;

/** The strictest tool-call grammar that the policy has supported so far. One instance per rollout. */
export class ToolCallConstraint {
  /** Strictest first; the last entry is no grammar. */
  readonly #levels: readonly (GrammarSpec | undefined)[];
  #level = 0;

  constructor(format: ChatFormat, tools: readonly ToolDefinition[]) {
    const grammarOf = (parametersOf: (tool: ToolDefinition) => object): GrammarSpec => ({
      kind: "tool-calls",
      format: format.toolCallFormat,
      tools: tools.map((tool) => ({ name: tool.name, parameters: { ...parametersOf(tool) } })),
      choice: "auto",
      parallel: true,
    });
    this.#levels =
      tools.length === 0
        ? [undefined]
        : [grammarOf((tool) => tool.parameters), grammarOf(() => ANY_ARGUMENTS), undefined];
  }

  get grammar(): GrammarSpec | undefined {
    return this.#levels[this.#level];
  }

  /** Moves to a weaker grammar after a failed `generate`. Returns false if that would not help. */
  relax(error: unknown): boolean {
    if (this.grammar === undefined) return false;
    if (WaggleError.is(error, "GRAMMAR_UNSUPPORTED")) this.#level++;
    else if (NO_GRAMMARS.some((code) => WaggleError.is(error, code))) {
      this.#level = this.#levels.length - 1;
    } else return false;
    return true;
  }
}
