/**
 * Receipts of consents: what the edge recorded when a visitor agreed, signed by the edge. The page keeps its receipts, and the
 * edge takes a visitor's requests only under a consent that it has recorded.
 */
import { z } from "zod";
import { Sha256 } from "../policy-version.ts";
import { Consent } from "./consent.ts";

/** Which text the visitor saw. */
const ShownText = z.strictObject({
  /** SHA-256 of the text in UTF-8: title, explanation and, if the visitor had choices, their labels, each on its own line. */
  sha256: Sha256,
  /** BCP 47, such as `de`. Absent if the page did not say. */
  language: z
    .string()
    .regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/)
    .optional(),
});

/** Body of `POST /v1/consents` (session). Idempotent: the same consent of the same visitor gets the same receipt. */
export type ConsentRequest = z.infer<typeof ConsentRequest>;
export const ConsentRequest = z.strictObject({
  consent: Consent,
  /** Absent if the page that asked for consent did not say what it showed. */
  text: ShownText.optional(),
});

/** Answer of `POST /v1/consents`. */
export type ConsentReceipt = z.infer<typeof ConsentReceipt>;
export const ConsentReceipt = z.strictObject({
  site: z.string().max(64),
  visitorId: z.uuid(),
  consent: Consent,
  text: ShownText.optional(),
  /** ISO 8601, by the edge's clock. `consent.grantedAt` is by the page's. */
  recordedAt: z.iso.datetime(),
  /** HMAC-SHA256 of the canonical JSON of the other members with the edge's session secret, in base64url. */
  signature: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
});

/** A receipt at the edge. */
export type StoredReceipt = z.infer<typeof StoredReceipt>;
export const StoredReceipt = z.object({
  receipt: ConsentReceipt,
  /** ISO 8601, by the edge's clock; `null` while the consent is not withdrawn. */
  withdrawnAt: z.iso.datetime().nullable(),
});

/**
 * Body of `POST /v1/consents/withdrawals` (session of any visitor). A receipt is enough: a page that withdrew has no other
 * proof of its former id.
 */
export type WithdrawalRequest = z.infer<typeof WithdrawalRequest>;
export const WithdrawalRequest = z.strictObject({
  receipts: z.array(ConsentReceipt).min(1).max(100),
});
/** Answer of `POST /v1/consents/withdrawals`. */
export type WithdrawalResponse = z.infer<typeof WithdrawalResponse>;
export const WithdrawalResponse = z.object({
  /** Consents that this request withdrew. Receipts that this edge did not sign are not among them. */
  withdrawn: z.int(),
});
