/**
 * Carries errors across a Durable Object's RPC as data, because a thrown error would lose its code.
 */
import { WaggleError, type WaggleErrorCode } from "@waggle/protocol";

/** A value, or the error that `answer` caught. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly code: WaggleErrorCode;
      readonly message: string;
      readonly retryAfterMs: number | null;
    };

/** The result of `fn`, with a WaggleError as data. Other errors are faults and are thrown. */
export async function answer<T>(fn: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await fn() };
  } catch (error) {
    if (!WaggleError.is(error)) throw error;
    const { code, message, retryAfterMs = null } = error;
    return { ok: false, code, message, retryAfterMs };
  }
}

/** The value of an answer. @throws WaggleError the error that it carries */
export function unwrap<T>(from: Answer<T>): T {
  if (from.ok) return from.value;
  const { code, message, retryAfterMs } = from;
  throw new WaggleError(code, message, retryAfterMs === null ? {} : { retryAfterMs });
}
