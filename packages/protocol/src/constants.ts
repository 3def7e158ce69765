/** Values that pages use without the schemas around them. They are apart, so that pages do not load zod. */
import type { Sampling } from "./policy.ts";

/** Temperature 1, full support. */
export const FULL_SUPPORT: Omit<Sampling, "seed"> = { temperature: 1, topK: 0, topP: 1 };

/** Version of the trajectory schema that this code writes. */
export const TRAJECTORY_SCHEMA_VERSION = 1;

/** Limits of one upload. */
export const UPLOAD_LIMITS: { readonly bodyBytes: number; readonly trajectories: number } = {
  /** After decompression. */
  bodyBytes: 4 * 1024 * 1024,
  trajectories: 64,
};

/**
 * `Accept` header of a page that understands `silenced`. Older pages reject manifests with unknown
 * fields, so the edge sends them version 0 without it.
 */
export const ACCEPT_SILENCE = "application/json;silence=1";

/** Most characters of the text of feedback. */
export const FEEDBACK_TEXT_LENGTH = 2000;

/** The site of requests that name none, of tokens without a site, and of data from before there were sites. */
export const DEFAULT_SITE = "default";
