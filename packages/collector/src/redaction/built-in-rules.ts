import { ADDRESS_RULES } from "./address.ts";
import { API_KEY_RULES } from "./api-key.ts";
import { CARD_RULES } from "./card.ts";
import { EMAIL_RULES } from "./email.ts";
import { IBAN_RULES } from "./iban.ts";
import { JAPANESE_NAME_RULES } from "./japanese-name.ts";
import { NAME_RULES } from "./name.ts";
import { NATIONAL_ID_RULES } from "./national-id.ts";
import { PASSWORD_RULES } from "./password.ts";
import { PERSON_RULES } from "./person.ts";
import { PHONE_RULES } from "./phone.ts";
import { SIGNATURE_RULES } from "./signature.ts";
import type { DetectionRule } from "./rule.ts";

/** The built-in rules, in order: of two that overlap, the earlier one wins. */
export const BUILT_IN_RULES: readonly DetectionRule[] = [
  ...API_KEY_RULES,
  ...PASSWORD_RULES,
  ...EMAIL_RULES,
  ...IBAN_RULES,
  ...CARD_RULES,
  ...NATIONAL_ID_RULES,
  ...PHONE_RULES,
  ...ADDRESS_RULES,
  ...SIGNATURE_RULES,
  ...NAME_RULES,
  ...PERSON_RULES,
  ...JAPANESE_NAME_RULES,
];

/** The types of the built-in rules, as they stand in placeholders. */
export const REDACTION_TYPES: readonly string[] = [
  ...new Set(BUILT_IN_RULES.map(({ type }) => type)),
];
