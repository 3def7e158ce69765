/** Outcomes: one from a page, which is not trusted, or up to 100 from the site's own server. */
import {
  Outcome,
  OutcomesEnvelope,
  OutcomesRequest,
  OutcomesResponse,
  WaggleError,
  type WaggleErrorCode,
} from "@waggle/protocol";
import { z } from "zod";
import { countRequest, requireConsent } from "../access.ts";
import { readJson } from "../body.ts";
import { coordinatorOf } from "../coordinator.ts";
import type { EdgeContext, Endpoint } from "../endpoint.ts";
import { type CheckedOutcome, checkOutcome } from "../outcomes/outcome-check.ts";
import { SERVER, storeOutcomes } from "../outcomes/outcome-store.ts";
import { joinedByVisitor } from "../outcomes/visitor-join.ts";
import { requireFeedbackConsent, requireFeedbackKept } from "../visitors/feedback-consent.ts";

type OutcomeResult = OutcomesResponse["results"][number];

/** Stores outcomes of one sender. The alarm deletes those whose trajectory does not arrive. */
async function store(
  context: EdgeContext,
  sender: string,
  outcomes: readonly CheckedOutcome[],
): Promise<OutcomeResult[]> {
  const { db, site, settings, now } = context.var;
  const results = await storeOutcomes(db, sender, outcomes, settings, now);
  if (results.some(({ status }) => status === "stored")) {
    context.executionCtx.waitUntil(coordinatorOf(context.env, site.id).watch(now));
  }
  return results;
}

type Checked = { readonly outcome: CheckedOutcome } | { readonly refused: OutcomeResult };

/** The checked outcome, or its refusal, which does not affect the others. */
function checked(value: unknown, { settings, now }: EdgeContext["var"]): Checked {
  try {
    return { outcome: checkOutcome(value, settings.METRICS, now) };
  } catch (error) {
    if (!WaggleError.is(error)) throw error;
    const { data } = z.object({ id: z.uuid() }).safeParse(value);
    const { code, message } = error;
    return { refused: { id: data?.id ?? null, status: "refused", code, message } };
  }
}

/** `POST /v1/visitor/outcomes` and `POST /v1/outcomes`. */
export const outcomeEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/visitor/outcomes",
    operationId: "reportOutcome",
    summary: "Stores one outcome of the visitor's own trajectory; idempotent by its id.",
    access: "session",
    request: Outcome,
    responses: { 200: z.object({}) },
    handle: async (context) => {
      const { db, settings, now } = context.var;
      const { visitorId } = requireConsent(context.var.session);
      requireFeedbackKept(settings);
      const value = await readJson(context.req.raw, Outcome);
      if (value.joinBy === "visitor") {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          "only the site's server joins an outcome by visitor; leave joinBy out",
        );
      }
      const outcome = checkOutcome(value, settings.METRICS, now);
      await requireFeedbackConsent(db, visitorId, outcome.trajectoryId, settings, now);
      const [result] = await store(context, visitorId, [outcome]);
      if (result?.status !== "refused") return context.json({});
      throw new WaggleError(result.code as WaggleErrorCode, result.message);
    },
  },
  {
    method: "post",
    path: "/v1/outcomes",
    operationId: "reportOutcomes",
    summary:
      "Stores outcomes from the site's own server; idempotent by their ids. Each is checked on its own.",
    access: "outcomes",
    request: OutcomesRequest,
    responses: { 200: OutcomesResponse },
    handle: async (context) => {
      const { outcomes: values } = await readJson(context.req.raw, OutcomesEnvelope);
      const limit = context.var.settings.OUTCOMES_PER_MINUTE;
      await countRequest(context, "outcomes", limit, values.length);
      const all = values.map((value) => checked(value, context.var));
      const outcomes = all.flatMap((one) => ("outcome" in one ? [one.outcome] : []));
      const stored = await store(context, SERVER, await joinedByVisitor(context.var.db, outcomes));
      const results = all.flatMap((one) =>
        "refused" in one ? [one.refused] : stored.splice(0, 1),
      );
      return context.json({ results } satisfies OutcomesResponse);
    },
  },
];
