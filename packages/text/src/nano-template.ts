/**
 * The chat template of the nano model: ChatML reduced to save tokens, because a whole trajectory must fit into 256
 * of them. Tools are signatures instead of schemas, and turns do not end with a newline.
 */
import type { SpecialToken } from "./bpe-trainer.ts";
import type { TokenizerConfigJson } from "./tokenizer-json.ts";

/** Special and added tokens of the nano model, for `trainByteLevelBpe`. */
export const NANO_SPECIAL_TOKENS: readonly SpecialToken[] = [
  { content: "<|endoftext|>", special: true },
  { content: "<|im_start|>", special: true },
  { content: "<|im_end|>", special: true },
  { content: "<tool_call>", special: false },
  { content: "</tool_call>", special: false },
  { content: "<tool_response>", special: false },
  { content: "</tool_response>", special: false },
];

const BEFORE_TURN = [
  "{%- macro signatures() -%}",
  "Tools:{% for tool in tools %} {{ tool.function.name }}(",
  "{%- set schema = tool.function.parameters -%}",
  "{%- for key in (schema.properties or {}) -%}",
  "{{ key }}{% if key not in (schema.required or []) %}?{% endif %}",
  "{%- if not loop.last %},{% endif -%}",
  "{%- endfor %}){% endfor -%}",
  "{%- endmacro -%}",
  "{%- if tools and messages[0].role != 'system' -%}",
  "{{ '<|im_start|>system\\n' }}{{ signatures() }}{{ '<|im_end|>' }}",
  "{%- endif -%}",
  "{%- for message in messages -%}",
  "{%- if message.role == 'tool' -%}",
  "{%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}{{ '<|im_start|>tool\\n' }}{% endif -%}",
  "{{ '<tool_response>' }}{{ message.content }}{{ '</tool_response>' }}",
  "{%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{ '<|im_end|>' }}{% endif -%}",
  "{%- else -%}",
];
const HEADER = "{{ '<|im_start|>' }}{{ message.role }}{{ '\\n' }}";
const CONTENT = "{{ message.content }}";
const SYSTEM_TOOLS =
  "{%- if message.role == 'system' and loop.first and tools %}{{ '\\n' }}{{ signatures() }}{% endif -%}";
const CALLS_AND_END = [
  "{%- for call in (message.tool_calls or []) -%}",
  "{{ '<tool_call>{\"name\":' }}{{ call.function.name | tojson }}{{ ',\"arguments\":' }}{{ call.function.arguments | tojson }}{{ '}</tool_call>' }}",
  "{%- endfor -%}",
  "{{ '<|im_end|>' }}",
];
const AFTER_TURN = [
  "{%- endif -%}",
  "{%- endfor -%}",
  "{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif -%}",
];

/** Renders, for example, `<|im_start|>system\nBe brief.\nTools: search(query,maxPrice?) open(id)<|im_end|>`. */
export const NANO_CHAT_TEMPLATE: string = [
  ...BEFORE_TURN,
  HEADER + CONTENT,
  SYSTEM_TOOLS,
  ...CALLS_AND_END,
  ...AFTER_TURN,
].join("\n");

/** The same with `{% generation %}` around what an assistant says. */
const MARKED_TEMPLATE = [
  ...BEFORE_TURN,
  HEADER,
  "{%- if message.role == 'assistant' -%}",
  "{%- generation -%}",
  CONTENT,
  ...CALLS_AND_END,
  "{%- endgeneration -%}",
  "{%- else -%}",
  CONTENT,
  SYSTEM_TOOLS,
  ...CALLS_AND_END,
  "{%- endif -%}",
  ...AFTER_TURN,
].join("\n");

/** File of a model's folder with the result of `trainingTemplate`. It is not part of the model's digest. */
export const TRAINING_TEMPLATE_FILE = "training_chat_template.jinja";

/**
 * A template of the same text with `{% generation %}` marks, which TRL's `assistant_only_loss` needs; `null` for the
 * templates of other models, most of which TRL marks itself.
 */
export function trainingTemplate(chatTemplate: string): string | null {
  return chatTemplate === NANO_CHAT_TEMPLATE ? MARKED_TEMPLATE : null;
}

/** The nano model's `tokenizer_config.json`. `contextLength` in tokens. */
export function nanoTokenizerConfig(contextLength: number): TokenizerConfigJson {
  return {
    tokenizer_class: "PreTrainedTokenizerFast",
    bos_token: null,
    eos_token: "<|im_end|>",
    pad_token: "<|endoftext|>",
    unk_token: null,
    add_bos_token: false,
    clean_up_tokenization_spaces: false,
    model_max_length: contextLength,
    chat_template: NANO_CHAT_TEMPLATE,
  };
}
