/** Sites for the Worker's tests, created as an operator creates them. */
import {
  type AssignmentResponse,
  type CreateSiteResponse,
  DEFAULT_SITE,
  fileListDigest,
  type LeaseResponse,
  type PolicyVersion,
  type RotateCredentialResponse,
  type SessionResponse,
  sha256,
  type SiteSettings,
} from "@waggle/protocol";
import { agree, ask, asOperator, makeUpload, passed, type Upload } from "./edge.ts";

/** A site with its own credentials, as options of `call`. */
export type TestSite = {
  readonly id: string;
  readonly siteKey: string;
  readonly trainer: { readonly token: string };
  readonly operator: { readonly token: string };
};

/** Creates a site whose groups have one trajectory. */
export async function makeSite(id: string, settings: SiteSettings = {}): Promise<TestSite> {
  const siteKey = `key-of-${id}`;
  const created = await ask<CreateSiteResponse>("POST", "/v1/operator/sites", {
    ...asOperator,
    body: {
      id,
      settings: {
        siteKeys: [siteKey],
        allowedOrigins: [`https://${id}.example`],
        taskEnvironment: `tasks-of-${id}`,
        groupSize: 1,
        ...settings,
      },
    },
  });
  return {
    id,
    siteKey,
    trainer: { token: created.trainerCredential },
    operator: { token: created.operatorCredential },
  };
}

/** Gives the site `default` its own trainer credential and operator credential. */
export async function ownDefault(): Promise<TestSite> {
  const rotate = async (role: "trainer" | "operator") => {
    const path = `/v1/operator/sites/${DEFAULT_SITE}/credentials`;
    const body = { role };
    const { credential } = await ask<RotateCredentialResponse>("POST", path, {
      ...asOperator,
      body,
    });
    return { token: credential };
  };
  return {
    id: DEFAULT_SITE,
    siteKey: "test-site",
    trainer: await rotate("trainer"),
    operator: await rotate("operator"),
  };
}

/** Stores bytes that are unique to `text` in a site. */
export async function putText({ trainer }: TestSite, text: string) {
  const bytes = new TextEncoder().encode(text);
  const hash = await sha256(bytes);
  await ask("PUT", `/v1/trainer/objects/${hash}`, { ...trainer, raw: bytes });
  return { sha256: hash, sizeBytes: bytes.byteLength };
}

/** Registers a base model of the site's own. @returns its hash */
export async function registerBase(site: TestSite): Promise<string> {
  const files = [{ path: "config.json", ...(await putText(site, `base of ${site.id}`)) }];
  const baseModel = { sha256: await fileListDigest(files), files };
  const body = { baseModel, vocabularySize: 100 };
  await ask("PUT", "/v1/trainer/base-model", { ...site.trainer, body });
  return baseModel.sha256;
}

/** Opens a session of the site with a recorded consent. */
export async function openSite(
  { siteKey }: TestSite,
  more: { visitorToken?: string } = {},
): Promise<SessionResponse> {
  const body = { siteKey, ...more };
  const session = await ask<SessionResponse>("POST", "/v1/sessions", { body });
  await agree(session.token);
  return session;
}

/** Gets a task and uploads its trajectory. */
export async function workAt(
  token: string,
  baseModel: string,
): Promise<Upload & { assignment: AssignmentResponse }> {
  const assignment = await ask<AssignmentResponse>("POST", "/v1/assignments", { token });
  const example = await makeUpload(baseModel, assignment);
  await ask("POST", "/v1/trajectories", { token, body: { trajectories: [example] } });
  return { ...example, assignment };
}

/** Leases the ready groups of the site. */
export const leaseAt = ({ id, trainer }: TestSite): Promise<LeaseResponse> =>
  ask("POST", "/v1/trainer/leases", {
    ...trainer,
    body: { trainerId: `trainer-of-${id}`, maxGroups: 10, durationSeconds: 600 },
  });

/** Publishes the next version of the site and makes it stable. */
export async function promoteNext(site: TestSite, baseModel: string): Promise<PolicyVersion> {
  const { epoch, stable } = await ask<{ epoch: number; stable: number }>(
    "GET",
    "/v1/trainer/policies",
    site.trainer,
  );
  const published = await ask<PolicyVersion>("POST", "/v1/trainer/policies", {
    ...site.trainer,
    body: {
      publicationId: crypto.randomUUID(),
      epoch,
      parent: stable,
      baseModel,
      adapter: {
        ...(await putText(site, `adapter ${stable + 1} of ${site.id}`)),
        rank: 4,
        alpha: 8,
      },
      evaluation: passed(stable),
      step: 1,
      status: "canary",
    },
  });
  const path = `/v1/trainer/policies/${published.version}/promote`;
  return ask<PolicyVersion>("POST", path, site.trainer);
}
