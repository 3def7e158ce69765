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
 * Type of the placeholder for the value of a field that is named like a secret, such as `cardNumber`; `null` for
 * other fields.
 */
export function sensitiveType(name: string): string | null {
  const words = name
    .replace(/(\p{Ll}|\d)(?=\p{Lu})/gu, "$1_")
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .toLowerCase();
  if (PAGING.test(words)) return null;
  return TYPES.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
}
