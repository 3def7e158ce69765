/** An error about one field of a request. OpenAI's error object names the field as `param`. */
import { WaggleError } from "@waggle/protocol";
import type { WaggleErrorCode } from "@waggle/protocol";

/**
 * @param param - path of the field, such as `messages[0].content`
 * @param mistake - the rest of the message, such as `is 5, not a text`
 */
export function requestError(code: WaggleErrorCode, param: string, mistake: string): WaggleError {
  return Object.assign(new WaggleError(code, `${param} ${mistake}`), { param });
}
