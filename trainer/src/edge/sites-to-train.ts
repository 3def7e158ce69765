/** The enabled sites of an installation. Needs the trainer's credential of the installation. */
import { type SiteToTrain, SitesToTrainResponse } from "@waggle/protocol";
import { createEdgeTransport, type EdgeTransportOptions } from "./edge-transport.ts";

/** `default` first, then by id. @throws WaggleError `FORBIDDEN` for the credential of one site */
export async function listSitesToTrain(options: EdgeTransportOptions): Promise<SiteToTrain[]> {
  const { answer } = createEdgeTransport(options);
  const call = { method: "GET", path: "/v1/trainer/sites" } as const;
  return (await answer(call, SitesToTrainResponse)).sites;
}
