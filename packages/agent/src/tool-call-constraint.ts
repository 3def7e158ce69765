/**
 * What a turn may say where its tool calls are constrained: free text, then only calls that the tools'
 * schemas allow. Where a schema holds more than a grammar can, names and JSON are still held.
 */
import { WaggleError } from "@waggle/protocol";
import type { GrammarSpec, ToolDefinition } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";

/** Arguments whose schema no grammar holds; the tool checks them when it is called. */
const ANY_ARGUMENTS = { type: "object" };

/** The strictest grammar of tool calls that the policy could hold so far. One instance a rollout. */
export class ToolCallConstraint {
  /** The strictest first; the last is none. */
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

  /** Asks for less after a failed `generate`. False where less would not help: the error counts. */
  relax(error: unknown): boolean {
    if (this.grammar === undefined) return false;
    if (WaggleError.is(error, "GRAMMAR_UNSUPPORTED")) this.#level++;
    else if (WaggleError.is(error, "TOKENIZER_UNSUPPORTED")) this.#level = this.#levels.length - 1;
    else return false;
    return true;
  }
}
