/** Feedback of pages. */
import type { Feedback } from "@waggle/protocol";
import { call, type Reply } from "./edge.ts";

/** Feedback on a trajectory: a thumb up unless `edit` says otherwise. */
export function feedbackOn(
  trajectory: { readonly id: string },
  edit: Partial<Feedback> = {},
): Feedback {
  return {
    id: crypto.randomUUID(),
    trajectoryId: trajectory.id,
    kind: "thumb-up",
    at: "2026-11-20T12:00:00.000Z",
    ...edit,
  };
}

/** Sends it as a page. */
export const giveAsPage = (token: string, body: Feedback): Promise<Reply> =>
  call("POST", "/v1/feedback", { token, body });
