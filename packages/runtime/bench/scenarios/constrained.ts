/**
 * Constrained generations over BFCL's tool schemas: how many are calls that their schema allows. The
 * validator shares no code with the grammars.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@cfworker/json-schema";
import { WaggleError } from "@waggle/protocol";
import type { GenerateOptions, JsonSchema, Sample } from "@waggle/protocol";
import type { Session } from "@waggle/runtime";
import { createNodePolicy } from "@waggle/runtime/node";
import { createChatFormat, createTokenizer, toolSchemaToJsonSchema } from "@waggle/text";
import type { TokenizerConfigJson, TokenizerJson } from "@waggle/text";
import { readNanoModel } from "../nano-model.ts";
import { benchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";

const TOOLS = join(import.meta.dirname, "../../../text/fixtures/bfcl/tools.json");
const FORMATS = ["hermes", "qwen-xml", "llama", "gemma", "mistral", "lfm"] as const;
/**
 * Token budgets of a call, whose end is forced. Tools whose shortest call is longer get the second.
 */
const BUDGETS = [128, 480];

type Tool = { readonly name: string; readonly parameters: JsonSchema };

export const constrained: Scenario = {
  name: "constrained",
  description: "share of constrained generations over 200 tool schemas that are valid calls",
  run: async function* ({ quick, report }) {
    const { config, weights, tokenizerFiles } = readNanoModel(1024);
    const json = (name: string): unknown =>
      JSON.parse(new TextDecoder().decode(tokenizerFiles.get(name)));
    const tokenizer = createTokenizer({ tokenizerJson: json("tokenizer.json") as TokenizerJson });
    const tokenizerConfig = json("tokenizer_config.json") as TokenizerConfigJson;
    const policy = await createNodePolicy({
      config,
      weights,
      tokenizerFiles,
      baseModel: "0".repeat(64),
    });
    const tools = (JSON.parse(readFileSync(TOOLS, "utf8")) as Tool[]).map(
      ({ name, parameters }) => ({ name, parameters: toolSchemaToJsonSchema(parameters) }),
    );
    const each = quick ? 2 : 50;
    let valid = 0;
    let total = 0;
    const trunk = await policy.createContext();
    trunk.append(tokenizer.encode("Call a tool."));
    for (const [index, tool] of tools.entries()) {
      if (index % 20 === 0) report(`tool ${index} of ${tools.length}: ${valid} of ${total} valid`);
      const validator = new Validator(structuredClone(tool.parameters), "2020-12");
      const format = FORMATS[index % FORMATS.length] as (typeof FORMATS)[number];
      const chat = createChatFormat({ tokenizer, tokenizerConfig, toolCallFormat: format });
      const samples = await generateGroup(trunk, each, (seed, maxTokens) => ({
        sampling: { temperature: 1, topK: 0, topP: 1, seed: index * each + seed },
        stopTokenIds: chat.stopTokenIds,
        maxTokens,
        grammar: {
          kind: "tool-calls",
          format,
          tools: [tool],
          choice: "required",
          parallel: false,
        },
      }));
      for (const { tokenIds } of samples) {
        const parsed = chat.parseAssistant(chat.decodeAssistant(tokenIds), { tools: [tool] });
        const [call] = parsed.toolCalls;
        const isValid =
          parsed.toolCalls.length === 1 &&
          call?.name === tool.name &&
          validator.validate(call.arguments).valid;
        total++;
        if (isValid) valid++;
        else if (total - valid <= 10) {
          const text = chat.decodeAssistant(tokenIds).slice(0, 300);
          report(`   ${tool.name} in ${format}: ${parsed.parseError ?? "invalid"}: ${text}`);
        }
      }
    }
    trunk.dispose();
    await policy.dispose();
    yield benchRow({
      name: `valid calls of ${total} over ${tools.length} tools`,
      ours: valid,
      peer: total,
      peerName: "all",
      unit: "valid",
      agree: valid === total,
    });
  },
};

/** Continuations of `trunk` within the first budget that fits the grammar's shortest call. */
async function generateGroup(
  trunk: Session,
  count: number,
  optionsFor: (seed: number, maxTokens: number) => GenerateOptions,
): Promise<Sample[]> {
  for (const [index, budget] of BUDGETS.entries()) {
    const sessions = await trunk.group(count);
    try {
      return await Promise.all(sessions.map((s, seed) => s.generate(optionsFor(seed, budget))));
    } catch (error) {
      const isTooShort = WaggleError.is(error, "INVALID_ARGUMENT");
      if (!isTooShort || index === BUDGETS.length - 1) throw error;
    } finally {
      for (const session of sessions) session.dispose();
    }
  }
  return [];
}
