/** Downloads the archive of weights that a server saved for samplers, and lets the server delete it. */
import type { HttpTransport } from "./http-transport.ts";
import { missingOnServer } from "./missing-on-server.ts";
import type { ServerFlavor } from "./server-flavor.ts";

export type ArchivePlace = {
  readonly flavor: ServerFlavor;
  readonly modelId: string;
  readonly name: string;
  readonly timeoutMs: number;
};

/** @throws WaggleError `CAPABILITY_MISSING` if a server of an unknown kind has no such call. */
export async function downloadArchive(
  transport: HttpTransport,
  { flavor, modelId, name, timeoutMs }: ArchivePlace,
): Promise<Uint8Array> {
  const folder = `/api/v1/training_runs/${modelId}/checkpoints`;
  for (const path of flavor.archivePaths(name)) {
    const { status, bytes } = await transport.send({
      method: "GET",
      path: `${folder}/${path}`,
      isRepeatable: true,
      timeoutMs,
      accepts: flavor.isGuessed ? [404, 405] : [],
    });
    if (status >= 300) continue;
    await transport.send({
      method: "DELETE",
      path: `${folder}/sampler_weights/${name}`,
      isRepeatable: true,
      // Servers without this call keep the file.
      accepts: [404, 405],
    });
    return bytes;
  }
  throw missingOnServer("the server has no call that downloads an adapter");
}
