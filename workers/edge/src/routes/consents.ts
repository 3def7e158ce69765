/** Consents of visitors: recorded with a signed receipt, and withdrawn. */
import {
  type ConsentReceipt,
  ConsentReceipt as Receipt,
  ConsentRequest,
  isConsentCurrent,
  WaggleError,
  WithdrawalRequest,
  WithdrawalResponse,
} from "@waggle/protocol";
import { requireConsent } from "../access.ts";
import { readJson } from "../body.ts";
import type { Endpoint } from "../endpoint.ts";
import { sessionSecrets } from "../settings.ts";
import { recordConsent, withdrawConsents } from "../visitors/consent-receipts.ts";
import { isSigned } from "../visitors/receipt-signature.ts";

/** `/v1/consents`. */
export const consentEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/consents",
    operationId: "recordConsent",
    summary:
      "Records what the visitor agreed to and answers with a signed receipt. Idempotent by visitor and consent.",
    access: "session",
    request: ConsentRequest,
    responses: { 200: Receipt },
    handle: async (context) => {
      const { db, now, settings } = context.var;
      const { visitorId } = requireConsent(context.var.session);
      const request = await readJson(context.req.raw, ConsentRequest);
      if (!isConsentCurrent(request.consent, settings.CONSENT_DAYS, now)) {
        throw new WaggleError(
          "CONSENT_MISSING",
          `the consent was not given in the last ${settings.CONSENT_DAYS} days; ask the visitor again`,
        );
      }
      const [secret] = sessionSecrets(settings);
      return context.json(await recordConsent(db, visitorId, request, secret, now));
    },
  },
  {
    method: "post",
    path: "/v1/consents/withdrawals",
    operationId: "withdrawConsents",
    summary:
      "Records that consents were withdrawn. The receipts prove the visitor; those that this site did not sign change nothing.",
    access: "session",
    request: WithdrawalRequest,
    responses: { 200: WithdrawalResponse },
    handle: async (context) => {
      const { db, now, settings } = context.var;
      const { receipts } = await readJson(context.req.raw, WithdrawalRequest);
      const secrets = sessionSecrets(settings);
      const own: ConsentReceipt[] = [];
      for (const receipt of receipts) {
        if (receipt.site === db.site && (await isSigned(receipt, secrets))) own.push(receipt);
      }
      const withdrawn = await withdrawConsents(db, own, now);
      return context.json({ withdrawn } satisfies WithdrawalResponse);
    },
  },
];
