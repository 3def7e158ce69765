/** The policy that a page runs, by channel. An ETag makes polling cheap. */
import {
  ACCEPT_SILENCE,
  canonicalJson,
  Channel,
  type EvaluationResult,
  PolicyManifest,
  sha256,
  SITE_HEADER,
  WaggleError,
} from "@waggle/protocol";
import { type EdgeContext, type Endpoint, type Parameter, siteName } from "../endpoint.ts";
import { baseManifest, manifestOf } from "../policy-store.ts";
import { canaryShare } from "../releases/release-store.ts";
import { channelOf } from "../session-token.ts";
import { readSwitches } from "../switches.ts";
import { z } from "zod";

const ifNoneMatch: Parameter = {
  name: "If-None-Match",
  in: "header",
  description: "ETag of an earlier response.",
  schema: z.string().optional(),
};

const accept: Parameter = {
  name: "Accept",
  in: "header",
  description: `"${ACCEPT_SILENCE}" from a page that understands \`silenced\`.`,
  schema: z.string().optional(),
};

const signed: Parameter = {
  name: "signed",
  in: "query",
  description: "1 from a page that verifies `signature`.",
  schema: z.literal("1").optional(),
};

/**
 * The policy of a channel, or version 0 while the kill switch is on. Older pages reject a manifest with a signature, and an
 * evaluation with probes, which no page reads.
 */
async function currentManifest(context: EdgeContext, channel: Channel): Promise<PolicyManifest> {
  const { signature, ...whole } = await switchedManifest(context, channel);
  const { evaluation, ...policy } = whole.policy;
  const manifest = { ...whole, policy: { ...policy, evaluation: withoutProbes(evaluation) } };
  const isWanted = signature !== undefined && context.req.query("signed") === "1";
  return isWanted ? { ...manifest, signature } : manifest;
}

function withoutProbes(evaluation: EvaluationResult | null): EvaluationResult | null {
  if (evaluation === null) return null;
  const { probes: _, ...rest } = evaluation;
  return rest;
}

async function switchedManifest(context: EdgeContext, channel: Channel): Promise<PolicyManifest> {
  const { db } = context.var;
  const { killed } = await readSwitches(db);
  if (killed === null) return manifestOf(db, channel);
  const manifest = await baseManifest(db, channel);
  const understands = context.req.header("accept") === ACCEPT_SILENCE;
  return killed.mode === "silence" && understands ? { ...manifest, silenced: true } : manifest;
}

async function answerManifest(context: EdgeContext, channel: Channel): Promise<Response> {
  const manifest = await currentManifest(context, channel);
  const etag = `"${(await sha256(canonicalJson(manifest))).slice(0, 32)}"`;
  const headers = { ETag: etag, "Cache-Control": "no-cache", Vary: `Accept, ${SITE_HEADER}` };
  // A compressing proxy makes a strong tag weak.
  if (context.req.header("if-none-match")?.replace(/^W\//, "") === etag) {
    return context.body(null, 304, headers);
  }
  return context.json(manifest, 200, headers);
}

/** `/v1/policy` and `/v1/channels/{channel}`. */
export const manifestEndpoints: readonly Endpoint[] = [
  {
    method: "get",
    path: "/v1/policy",
    operationId: "getPolicy",
    summary: "The manifest of the session's channel.",
    access: "session",
    parameters: [signed, ifNoneMatch, accept],
    responses: { 200: PolicyManifest, 304: "empty" },
    handle: async (context) => {
      const { db, session, settings } = context.var;
      const share = await canaryShare(db, settings);
      return answerManifest(context, await channelOf(session.visitorId, share));
    },
  },
  {
    method: "get",
    path: "/v1/policies/{channel}",
    operationId: "getChannel",
    summary: "The manifest of a channel by name.",
    access: "public",
    parameters: [
      { name: "channel", in: "path", description: "stable or canary.", schema: Channel },
      siteName,
      signed,
      ifNoneMatch,
      accept,
    ],
    responses: { 200: PolicyManifest, 304: "empty" },
    handle: (context) => {
      const channel = Channel.safeParse(context.req.param("channel"));
      if (!channel.success) {
        throw new WaggleError("NOT_FOUND", "no such channel; it must be stable or canary");
      }
      return answerManifest(context, channel.data);
    },
  },
];
