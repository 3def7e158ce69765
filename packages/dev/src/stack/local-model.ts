/** Publishes the model of a local installation, which has learned with one base model only. */
import { existsSync } from "node:fs";
import { DEFAULT_SITE, WaggleError } from "@waggle/protocol";
import { publishBase } from "@waggle/trainer";
import type { Site } from "../site/site.ts";
import { edgeStorage } from "./edge-process.ts";
import type { Installation } from "./installation.ts";
import { migrate, rowsOf } from "./migrations.ts";

const OTHER_STATE =
  "Run with another --state folder, or delete this one with all that was collected and learned in it";

/** The base model of an installation that has collected or learned anything with it, as the edge decides. */
const USED_BASE = `SELECT sha256 FROM baseModel WHERE site = '${DEFAULT_SITE}' AND (
  EXISTS (SELECT 1 FROM policies WHERE site = '${DEFAULT_SITE}' AND version > 0)
  OR EXISTS (SELECT 1 FROM trajectories WHERE site = '${DEFAULT_SITE}'))`;

/**
 * Finds out before a base model is made, which takes minutes, that the installation could not use it.
 *
 * @param replaced - hash of the base model that the new one replaces
 * @param onStart - called if there is a database to look at
 * @throws WaggleError `CONFLICT` if the installation has learned with that one.
 */
export async function requireFreeState(
  installation: Installation,
  site: Site,
  replaced: string | null,
  onStart?: () => void,
): Promise<void> {
  if (replaced === null || !existsSync(edgeStorage(installation))) return;
  onStart?.();
  await migrate(installation, site);
  const rows = (await rowsOf(installation, site, USED_BASE)) as { readonly sha256: string }[];
  if (!rows.some(({ sha256 }) => sha256 === replaced)) return;
  const { folder } = installation;
  throw new WaggleError(
    "CONFLICT",
    `tasks, tools or base settings of ${site.name} have changed, so its base model has to be made again, and ${folder} has trajectories or later versions of the one before. ${OTHER_STATE}, or undo the change`,
  );
}

/**
 * Publishes the model at the installation's edge as version 0. A trainer that starts later finds it there.
 *
 * @throws WaggleError `CONFLICT` if the installation has learned with another base model.
 */
export async function publishLocalModel(
  { folder, trainerCredential, publisher }: Installation,
  { edgeUrl, model, signal }: { edgeUrl: string; model: string; signal: AbortSignal },
): Promise<void> {
  try {
    await publishBase(model, {
      baseUrl: edgeUrl,
      credential: trainerCredential,
      ...(publisher && {
        publisher: { privateKey: publisher.privateKey, site: DEFAULT_SITE },
      }),
      signal,
    });
  } catch (error) {
    if (!WaggleError.is(error, "CONFLICT")) throw error;
    throw new WaggleError(
      "CONFLICT",
      `${folder} has trajectories or later versions of another base model than ${model}. A base is made again if tasks, tools or base settings change. ${OTHER_STATE}`,
      { cause: error },
    );
  }
}
