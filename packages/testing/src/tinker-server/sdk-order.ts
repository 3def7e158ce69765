/**
 * Requests of one model by their `seq_id`: they are worked on in its order, however they arrive, and
 * a repeated one has the first one's result. The SDK sends the parts of a pass at the same time and
 * relies on this order (tinker 0.25.0, `training_client.py`, `_take_turn`).
 */
import { TinkerRefusal } from "./tinker-reply.ts";
import type { TinkerModel, TinkerState } from "./tinker-state.ts";

type Json = { readonly [name: string]: unknown };

/**
 * @param json the request, whose `seq_id` counts from 1. Without one, it is worked on at once.
 * @returns the id of the request's future.
 */
export function inSequence(
  state: TinkerState,
  model: TinkerModel,
  json: Json,
  work: () => Promise<unknown>,
): string {
  const seq = json["seq_id"];
  const requestId = crypto.randomUUID();
  if (typeof seq !== "number") {
    model.requests += 1;
    return state.enqueue(requestId, work);
  }
  const content = JSON.stringify(json);
  const known = model.repeats.get(seq);
  if (known !== undefined) {
    if (known.content === content) return known.requestId;
    throw new TinkerRefusal(409, { detail: `seq_id ${seq} was used by another request` });
  }
  model.repeats.set(seq, { content, requestId });
  state.hold(requestId);
  model.early.set(seq, () => void state.enqueue(requestId, work));
  for (;;) {
    const start = model.early.get(model.requests + 1);
    if (start === undefined) return requestId;
    model.requests += 1;
    model.early.delete(model.requests);
    start();
  }
}
