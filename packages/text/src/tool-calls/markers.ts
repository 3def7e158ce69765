/**
 * The strings that tool-call formats are made of. A tokenizer often has them as tokens of their own;
 * a grammar then uses the token, and a decoder keeps it in the text although it is special.
 */
export const TOOL_CALL_OPEN = "<tool_call>";
export const TOOL_CALL_CLOSE = "</tool_call>";
export const PYTHON_TAG = "<|python_tag|>";
export const MISTRAL_CALLS = "[TOOL_CALLS]";
export const MISTRAL_ARGUMENTS = "[ARGS]";
export const MISTRAL_CALL_ID = "[CALL_ID]";
export const LFM_OPEN = "<|tool_call_start|>";
export const LFM_CLOSE = "<|tool_call_end|>";
export const GEMMA_OPEN = "<start_function_call>";
export const GEMMA_CLOSE = "<end_function_call>";
export const GEMMA_ESCAPE = "<escape>";

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
