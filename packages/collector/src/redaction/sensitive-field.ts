import { isObject } from "@waggle/protocol";
import type { JsonSchema } from "@waggle/protocol";

/** Type of the placeholder by the end of a field's name. */
const TYPES: readonly (readonly [type: string, name: RegExp])[] = [
  [
    "PASSWORD",
    /(?:^|_)(?:password|passwd|passcode|passphrase|pwd|pin|pin_code|cvv|cvv2|cvc|csc|security_code|otp|one_time_code)$/,
  ],
  ["CARD", /(?:^|_)(?:card|credit_card|debit_card|card_no|card_number|cardnumber|creditcard|pan)$/],
  ["IBAN", /(?:^|_)(?:iban|account_number|bank_account)$/],
  [
    "NATIONAL_ID",
    /(?:^|_)(?:ssn|social_security|social_security_number|national_id|tax_id|passport|passport_number)$/,
  ],
  ["API_KEY", /(?:^|_)(?:token|secret|api_key|apikey|access_key|private_key|client_secret)$/],
];

/** Tokens of paging are no secrets, and tools need them. */
const PAGING = /(?:^|_)(?:page|continuation|sync|cursor)_token$/;

/**
 * Type of the placeholder for the value of a field whose name or schema says that it is secret, such as `cardNumber` or
 * `format: "password"`; `null` for other fields.
 */
export function sensitiveType(name: string, schema?: JsonSchema): string | null {
  if (schema?.["format"] === "password") return "PASSWORD";
  const words = name
    .replace(/(\p{Ll}|\d)(?=\p{Lu})/gu, "$1_")
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .toLowerCase();
  if (PAGING.test(words)) return null;
  return TYPES.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
}

/** The schema of a field, or of an item of a list for `null`, if the schema of the whole states it directly. */
export function fieldSchema(
  schema: JsonSchema | undefined,
  name: string | null,
): JsonSchema | undefined {
  const { properties, items } = schema ?? {};
  const found = name === null ? items : ownMember(properties, name);
  return isObject(found) ? (found as JsonSchema) : undefined;
}

const ownMember = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? (value as JsonSchema)[name] : undefined;
