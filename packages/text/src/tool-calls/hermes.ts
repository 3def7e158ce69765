/** The format of Hermes and Qwen, and of our own models. */
import { closedBlock, jsonCall } from "./block.ts";
import type { ToolCallFormatEntry, WritableCall } from "./format-entry.ts";
import { TOOL_CALL_CLOSE, TOOL_CALL_OPEN } from "./markers.ts";

/** A call as `{"name": …, "arguments": {…}}`. */
export const namedJson = (call: WritableCall): string =>
  JSON.stringify({ name: call.name, arguments: call.arguments });

/** `<tool_call>{json}</tool_call>` */
export const HERMES: ToolCallFormatEntry = {
  format: "hermes",
  begin: TOOL_CALL_OPEN,
  strayEnd: TOOL_CALL_CLOSE,
  beginsTurn: null,
  markers: [TOOL_CALL_OPEN, TOOL_CALL_CLOSE],
  read: ({ text, isEnd }) =>
    closedBlock(text, isEnd, TOOL_CALL_OPEN, TOOL_CALL_CLOSE, (part) =>
      jsonCall(part, 0, ["arguments"]),
    ),
  write: (calls) =>
    calls.map((call) => TOOL_CALL_OPEN + namedJson(call) + TOOL_CALL_CLOSE).join(""),
};
