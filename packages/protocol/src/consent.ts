/** A visitor's consent. Without a consent record, no trajectory leaves the page. */
import { z } from "zod";

/** The record of one consent: the text's version, the permitted uses and the time. */
export type Consent = {
  /** Version of the text that was shown. */
  readonly version: string;
  /** Permitted uses of the visitor's trajectories. */
  readonly scopes: readonly ("collect" | "train")[];
  /** ISO 8601. */
  readonly grantedAt: string;
};

export const Consent: z.ZodType<Consent> = z.strictObject({
  version: z.string().min(1).max(64),
  scopes: z.array(z.enum(["collect", "train"])).max(2),
  grantedAt: z.iso.datetime(),
});
