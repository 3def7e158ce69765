/** Uploads of pages. Each trajectory is validated on its own; the request fails only if all are refused. */
import {
  UPLOAD_LIMITS,
  UploadRequest,
  UploadResponse,
  type WaggleErrorCode,
  UploadEnvelope,
} from "@waggle/protocol";
import { countRequest, requireConsent, visitorKey } from "../access.ts";
import { addressPrefix, networkName } from "../address-prefix.ts";
import { readJson } from "../body.ts";
import { type ByteQuota, takeBytes, visitorQuotaName } from "../byte-quota.ts";
import { coordinatorOf } from "../coordinator.ts";
import { type EdgeContext, type Endpoint, storesOf } from "../endpoint.ts";
import { logLine } from "../error-log.ts";
import { statusOf } from "../error-response.ts";
import { ingest } from "../ingest.ts";
import { countRefusal } from "../refusal-counter.ts";

/** Enqueues messages and schedules the alarm. A failure here costs time, never a trajectory. */
async function enqueuePointers(
  { env, var: { now, requestId, site } }: EdgeContext,
  digests: readonly string[],
): Promise<void> {
  try {
    await coordinatorOf(env, site.id).watch(now);
    await env.UPLOADS.sendBatch(digests.map((digest) => ({ body: { digest, site: site.id } })));
  } catch (error) {
    // oxlint-disable-next-line no-console -- the Worker's log is its console
    console.error(logLine({ requestId, method: "QUEUE", path: "/v1/trajectories" }, error));
  }
}

/** `POST /v1/trajectories`. */
export const trajectoryEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/trajectories",
    operationId: "uploadTrajectories",
    summary:
      "Stores trajectories; idempotent by digest; accepts gzip. If all are refused, the " +
      "status is that of the first error and the body has both `error` and `results`.",
    access: "session",
    request: UploadRequest,
    responses: { 200: UploadResponse },
    handle: async (context) => {
      const { db, settings, site, now } = context.var;
      const { visitorId, siteKey } = requireConsent(context.var.session);
      const quotas: ByteQuota[] = [
        {
          name: await visitorQuotaName(visitorId),
          limit: settings.VISITOR_BYTES_PER_HOUR,
        },
        {
          name: await addressPrefix(context.req.raw, settings.SESSION_SECRET, site.id),
          limit: settings.PREFIX_BYTES_PER_HOUR,
        },
      ];
      const upload = await readJson(
        context.req.raw,
        UploadEnvelope,
        UPLOAD_LIMITS.bodyBytes,
        (bytes) => takeBytes(db, quotas, bytes, now),
      );
      // The request itself was already counted as one.
      const limit = settings.RATE_LIMIT_PER_MINUTE;
      const more = Math.min(upload.trajectories.length, limit) - 1;
      const key = visitorKey(visitorId);
      await countRequest(context, key, limit, more);
      const network = await networkName(context.req.raw, settings.SESSION_SECRET, site.id);
      const results = await ingest(
        storesOf(context),
        visitorId,
        upload,
        {
          groupBytes: settings.GROUP_BYTES,
          consentDays: settings.CONSENT_DAYS,
          level: settings.COLLECT,
          now,
        },
        { network, siteKey },
      );
      const accepted = results.filter((r) => r.status === "accepted").map((r) => r.digest);
      if (accepted.length > 0) context.executionCtx.waitUntil(enqueuePointers(context, accepted));
      for (const result of results) {
        if (result.status !== "rejected") continue;
        context.executionCtx.waitUntil(
          countRefusal(context.env, site.id, "uploadTrajectories", result.code, now),
        );
      }
      const rejected = results.filter((r) => r.status === "rejected");
      // A page of the previous release keeps all of them until it is reloaded.
      const unproven = rejected.find(({ code }) => code === "CONSENT_UNPROVEN");
      const refusal = unproven ?? (rejected.length === results.length ? rejected[0] : undefined);
      if (refusal !== undefined) {
        const error = { code: refusal.code, message: refusal.message };
        return context.json({ error, results }, statusOf(refusal.code as WaggleErrorCode));
      }
      return context.json({ results } satisfies UploadResponse);
    },
  },
];
