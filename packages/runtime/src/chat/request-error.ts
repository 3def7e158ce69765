/** An error about one field of a request. OpenAI's error object names the field as `param`. */
import { WaggleError } from "@waggle/protocol";
import type { WaggleErrorCode } from "@waggle/protocol";

export class RequestError extends WaggleError {
  /** Path of the field, such as `messages[0].content`. */
  readonly param: string;

  constructor(code: WaggleErrorCode, param: string, message: string) {
    super(code, message);
    this.param = param;
  }
}
