/** What a visitor agreed to. No consent record, nothing leaves the page. */
import { z } from "zod";

export type Consent = {
  /** Version of the text that was shown. */
  readonly version: string;
  /** What may be done with a trajectory. */
  readonly scopes: readonly ("collect" | "train")[];
  /** ISO 8601. */
  readonly grantedAt: string;
};

export const Consent: z.ZodType<Consent> = z.strictObject({
  version: z.string().min(1).max(64),
  scopes: z.array(z.enum(["collect", "train"])).max(2),
  grantedAt: z.iso.datetime(),
});
