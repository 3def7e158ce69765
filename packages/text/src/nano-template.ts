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

/** Tools as names and argument names, such as `Tools: search(query,maxPrice?) open(id)`. */
const SIGNATURES: readonly string[] = [
  "{%- macro signatures() -%}",
  "Tools:{% for tool in tools %} {{ tool.function.name }}(",
  "{%- set schema = tool.function.parameters -%}",
  "{%- for key in (schema.properties or {}) -%}",
  "{{ key }}{% if key not in (schema.required or []) %}?{% endif %}",
  "{%- if not loop.last %},{% endif -%}",
  "{%- endfor %}){% endfor -%}",
  "{%- endmacro -%}",
];

/** The same with one tool per line, the values of an enum, and descriptions, such as `open(id) Show a product.` */
const DESCRIBED_SIGNATURES: readonly string[] = [
  "{%- macro signatures() -%}",
  "Tools:{% for tool in tools %}{{ '\\n' }}{{ tool.function.name }}(",
  "{%- set schema = tool.function.parameters -%}",
  "{%- for key in (schema.properties or {}) -%}",
  "{{ key }}{% if key not in (schema.required or []) %}?{% endif %}",
  "{%- if schema.properties[key].enum %}={{ schema.properties[key].enum | join('|') }}{% endif -%}",
  "{%- if not loop.last %},{% endif -%}",
  "{%- endfor %}){% if tool.function.description %} {{ tool.function.description }}{% endif -%}{% endfor -%}",
  "{%- endmacro -%}",
];

const BEFORE_TURN: readonly string[] = [
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

/** The template with these signatures; `marked`: with `{% generation %}` around what an assistant says. */
function template(signatures: readonly string[], marked: boolean): string {
  const turn = marked
    ? [
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
      ]
    : [HEADER + CONTENT, SYSTEM_TOOLS, ...CALLS_AND_END];
  return [...signatures, ...BEFORE_TURN, ...turn, ...AFTER_TURN].join("\n");
}

/** Renders, for example, `<|im_start|>system\nBe brief.\nTools: search(query,maxPrice?) open(id)<|im_end|>`. */
export const NANO_CHAT_TEMPLATE: string = template(SIGNATURES, false);

/** `NANO_CHAT_TEMPLATE` for models that choose tools by their descriptions. */
export const DESCRIBED_TOOLS_TEMPLATE: string = template(DESCRIBED_SIGNATURES, false);

/** File of a model's folder with the result of `trainingTemplate`. It is not part of the model's digest. */
export const TRAINING_TEMPLATE_FILE = "training_chat_template.jinja";

/**
 * A template of the same text with `{% generation %}` marks, which TRL's `assistant_only_loss` needs; `null` for the
 * templates of other models, most of which TRL marks itself.
 */
export function trainingTemplate(chatTemplate: string): string | null {
  const signatures = [SIGNATURES, DESCRIBED_SIGNATURES].find(
    (each) => template(each, false) === chatTemplate,
  );
  return signatures === undefined ? null : template(signatures, true);
}

/** The `tokenizer_config.json` of a small model. `contextLength` in tokens. */
export function nanoTokenizerConfig(
  contextLength: number,
  chatTemplate: string = NANO_CHAT_TEMPLATE,
): TokenizerConfigJson {
  return {
    tokenizer_class: "PreTrainedTokenizerFast",
    bos_token: null,
    eos_token: "<|im_end|>",
    pad_token: "<|endoftext|>",
    unk_token: null,
    add_bos_token: false,
    clean_up_tokenization_spaces: false,
    model_max_length: contextLength,
    chat_template: chatTemplate,
  };
}
