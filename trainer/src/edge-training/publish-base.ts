/** Publishes the base model of an edge, for a site that runs without a trainer. */
import { createEdgeClient } from "../edge/edge-client.ts";
import type { EdgeTransportOptions } from "../edge/edge-transport.ts";
import { openBaseModel } from "../model/base-model.ts";
import { offerBaseModel } from "./training-session.ts";

/**
 * Uploads the files of a model folder and registers them as version 0. Safe to repeat.
 * @throws WaggleError like `openBaseModel`; `CONFLICT` if the edge has another base model.
 */
export async function publishBase(
  folder: string,
  edge: Pick<EdgeTransportOptions, "baseUrl" | "credential" | "signal">,
): Promise<void> {
  await offerBaseModel(await openBaseModel(folder), createEdgeClient(edge));
}
