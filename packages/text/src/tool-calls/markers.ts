/**
 * The marker strings of tool-call formats. Tokenizers often have them as single tokens. A grammar then uses that
 * token, and a decoder keeps it in the text even if it is special.
 */
/** Hermes and Qwen. */
export const TOOL_CALL_OPEN = "<tool_call>";
export const TOOL_CALL_CLOSE = "</tool_call>";
/** Llama. */
export const PYTHON_TAG = "<|python_tag|>";
/** Mistral. */
export const MISTRAL_CALLS = "[TOOL_CALLS]";
export const MISTRAL_ARGUMENTS = "[ARGS]";
export const MISTRAL_CALL_ID = "[CALL_ID]";
/** LFM2. */
export const LFM_OPEN = "<|tool_call_start|>";
export const LFM_CLOSE = "<|tool_call_end|>";
/** FunctionGemma. */
export const GEMMA_OPEN = "<start_function_call>";
export const GEMMA_CLOSE = "<end_function_call>";
export const GEMMA_ESCAPE = "<escape>";

/** All markers. */
export const TOOL_CALL_MARKERS: readonly string[] = [
  TOOL_CALL_OPEN,
  TOOL_CALL_CLOSE,
  PYTHON_TAG,
  MISTRAL_CALLS,
  MISTRAL_ARGUMENTS,
  MISTRAL_CALL_ID,
  LFM_OPEN,
  LFM_CLOSE,
  GEMMA_OPEN,
  GEMMA_CLOSE,
  GEMMA_ESCAPE,
];
