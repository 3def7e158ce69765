import { isObject } from "@waggle/protocol";
import type { JsonSchema } from "@waggle/protocol";

/** Type of the placeholder by the end of a field's name in snake case. */
const TYPES: readonly (readonly [type: string, name: RegExp])[] = [
  [
    "PASSWORD",
    /_(?:pass(?:word|wd|code|phrase)|pwd|pin(?:_?code)?|cv[cv]2?|csc|security_?code|otp)$/,
  ],
  ["CARD", /_(?:card|card_?(?:no|number)|(?:credit|debit)_?card)$/],
  ["IBAN", /_(?:iban|account_?number|bank_?account)$/],
  [
    "NATIONAL_ID",
    /_(?:ssn|social_security(?:_number)?|(?:national|tax)_?id|passport(?:_number)?)$/,
  ],
  ["API_KEY", /_(?:token|secret|(?:api|access|private)_?key)$/],
];

/** Tokens of paging are no secrets, and tools need them. */
const PAGING = /_(?:page|continuation|sync|cursor)_token$/;

/**
 * Type of the placeholder for the value of a field whose name or schema says that it is secret, such as `cardNumber` or
 * `format: "password"`; `null` for other fields.
 */
export function sensitiveType(name: string, value: unknown, schema?: JsonSchema): string | null {
  if (schema?.["format"] === "password") return "PASSWORD";
  const words = `_${name.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})|[^\p{L}\d]+/gu, "_").toLowerCase()}`;
  if (PAGING.test(words)) return null;
  // Boards and games have cards, too.
  if (words.endsWith("_card") && !/(?:\d\D?){8}/.test(String(value))) return null;
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
