/** Publishes a model alone at an edge, as a trainer does when it starts. */
import { createEdgeClient } from "../edge/edge-client.ts";
import type { EdgeTransportOptions } from "../edge/edge-transport.ts";
import type { Reporter } from "../metrics/reporter.ts";
import { openBaseModel } from "../model/base-model.ts";
import { offerBaseModel } from "./training-session.ts";

/**
 * Uploads the files of a model folder and registers them as version 0. Safe to repeat.
 *
 * @param options - with `isDryRun`, the folder is only checked and nothing is sent. `note` is called after each part of
 *   a large file.
 * @returns the model's hash.
 * @throws WaggleError like `openBaseModel`; `CONFLICT` if the edge has another base model and already has trajectories
 *   or later versions.
 */
export async function publishBase(
  folder: string,
  edge: EdgeTransportOptions,
  { isDryRun = false, note }: { isDryRun?: boolean; note?: Reporter["note"] } = {},
): Promise<string> {
  const model = await openBaseModel(folder);
  if (!isDryRun) await offerBaseModel(model, createEdgeClient(edge), note);
  return model.reference.sha256;
}
