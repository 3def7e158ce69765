/** Sites of an edge: list, create, change and disable. Needs the operator's credential of the installation. */
import {
  type ChangeSiteRequest,
  type CreateSiteRequest,
  CreateSiteResponse,
  RotateCredentialResponse,
  type RotateCredentialRequest,
  Site,
  SitesResponse,
} from "@waggle/protocol";
import { createEdgeTransport, type EdgeTransportOptions } from "./edge-transport.ts";

/** Calls about sites. @throws WaggleError `NOT_FOUND` for an unknown site, `CONFLICT` for a key of another site */
export interface SiteClient {
  /** `default` first, then by id. */
  list(): Promise<Site[]>;
  get(id: string): Promise<Site>;
  /** The answer has the site's credentials, which the edge does not show again. */
  create(request: CreateSiteRequest): Promise<CreateSiteResponse>;
  change(id: string, request: ChangeSiteRequest): Promise<Site>;
  /** Stops sessions and the site's own credentials; its data stays. */
  disable(id: string): Promise<Site>;
  enable(id: string): Promise<Site>;
  /** @returns the new credential; the previous one stops working, unless the request says for how long it works */
  rotateCredential(id: string, request: RotateCredentialRequest): Promise<string>;
}

const SITES = "/v1/operator/sites";

/**
 * Creates a client.
 * @param options - headers must contain the operator's signature, for the audit log.
 */
export function createSiteClient(options: EdgeTransportOptions): SiteClient {
  const { answer } = createEdgeTransport(options);
  const path = (id: string): string => `${SITES}/${encodeURIComponent(id)}`;
  return {
    list: async () => (await answer({ method: "GET", path: SITES }, SitesResponse)).sites,
    get: (id) => answer({ method: "GET", path: path(id) }, Site),
    create: (json) => answer({ method: "POST", path: SITES, json }, CreateSiteResponse),
    change: (id, json) => answer({ method: "PUT", path: path(id), json }, Site),
    disable: (id) => answer({ method: "PUT", path: `${path(id)}/disabled` }, Site),
    enable: (id) => answer({ method: "DELETE", path: `${path(id)}/disabled` }, Site),
    async rotateCredential(id, json) {
      const call = { method: "POST", path: `${path(id)}/credentials`, json } as const;
      return (await answer(call, RotateCredentialResponse)).credential;
    },
  };
}
