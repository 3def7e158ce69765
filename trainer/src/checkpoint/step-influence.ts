/** The gradient masses that the senders of a step caused, as the trainer keeps them between steps. */
import { z } from "zod";

/** What a sender is known by. */
export const SENDER_KINDS = ["visitor", "network", "siteKey"] as const;
type Kind = (typeof SENDER_KINDS)[number];

/** The masses of one step, by kind and name. Names are hashes. */
export type StepInfluence = {
  readonly [kind in Kind]: { readonly [name: string]: number };
};
const Masses = z.record(z.string(), z.number());
export const StepInfluence: z.ZodType<StepInfluence> = z.strictObject({
  visitor: Masses,
  network: Masses,
  siteKey: Masses,
});
