/** Requests of someone who has the trainer's credential, but not the publisher's key. */
import type { PoliciesResponse } from "@waggle/protocol";
import { createPublisherKeys } from "@waggle/protocol/signing";
import type { AttackedEdge } from "../edge/attacked-edge.ts";
import type { RawRequest } from "../edge/raw-request.ts";
import { attack, type EdgeAttack, jsonHeaders, type Refusal } from "./edge-attack.ts";

const UNSIGNED: Refusal = [403, "SIGNATURE_INVALID"];

const PUBLISHER = "only the publisher's key makes versions";

/** A request of the trainer with a body. */
const asTrainer = (
  { installation }: AttackedEdge,
  method: string,
  path: string,
  body: object,
): RawRequest => ({
  method,
  path,
  headers: jsonHeaders(installation.trainerCredential),
  body: JSON.stringify(body),
});

const ADAPTER = { sha256: "a".repeat(64), sizeBytes: 2, rank: 4, alpha: 8 };

/** A request to replace the base model by another one. */
const replaceBase = (edge: AttackedEdge, more: object): RawRequest =>
  asTrainer(edge, "PUT", "/v1/trainer/base-model", {
    baseModel: { sha256: edge.baseModel, files: edge.baseFiles },
    vocabularySize: 99,
    ...more,
  });

/** All of them. */
export const VERSION_ATTACKS: readonly EdgeAttack[] = [
  attack(
    "an unsigned version",
    "registers a base model without a signature",
    PUBLISHER,
    UNSIGNED,
    (edge) => replaceBase(edge, {}),
  ),
  attack(
    "a version of another key",
    "signs with a key of its own",
    PUBLISHER,
    UNSIGNED,
    async (edge) => {
      const { privateKey } = await createPublisherKeys();
      const signature = await edge.sign({ version: 0, parent: null, adapter: null }, privateKey);
      return replaceBase(edge, { signature });
    },
  ),
  attack(
    "a signature of another version",
    "uses the signature of another version",
    PUBLISHER,
    UNSIGNED,
    async (edge) =>
      replaceBase(edge, {
        signature: await edge.sign({ version: 3, parent: 0, adapter: ADAPTER }),
      }),
  ),
  attack(
    "a signature from the future",
    "signs a version a year ahead, so that pages refuse all later ones",
    "signatures are not of the future",
    UNSIGNED,
    async (edge) =>
      replaceBase(edge, {
        signature: await edge.sign(
          { version: 0, parent: null, adapter: null },
          undefined,
          Date.now() + 3e10,
        ),
      }),
  ),
  attack(
    "a downgrade",
    "puts the signature of a version that does not exist",
    PUBLISHER,
    [404, "NOT_FOUND"],
    async (edge) =>
      asTrainer(edge, "PUT", "/v1/trainer/signatures", {
        signatures: [
          { version: 9, signature: await edge.sign({ version: 9, parent: 0, adapter: ADAPTER }) },
        ],
      }),
  ),
  attack(
    "another signature of a stored version",
    "replaces a stored signature by one of another key",
    PUBLISHER,
    UNSIGNED,
    async (edge) => {
      const { privateKey } = await createPublisherKeys();
      const signature = await edge.sign({ version: 0, parent: null, adapter: null }, privateKey);
      return asTrainer(edge, "PUT", "/v1/trainer/signatures", {
        signatures: [{ version: 0, signature }],
      });
    },
  ),
  attack(
    "bytes of another hash",
    "stores bytes under the hash of others",
    "R2 verifies the hash",
    [400, "DIGEST_MISMATCH"],
    ({ installation }) => ({
      method: "PUT",
      path: `/v1/trainer/objects/${"a".repeat(64)}`,
      headers: { authorization: `Bearer ${installation.trainerCredential}` },
      body: "other bytes",
    }),
  ),
  attack(
    "an adapter that is not stored",
    "publishes a signed version without its bytes",
    "a version's bytes are stored first",
    [409, "CONFLICT"],
    async (edge) => {
      const { trainerCredential } = edge.installation;
      const path = "/v1/trainer/policies";
      const { epoch, newest = 0 } = await edge.ask<PoliciesResponse>(
        "GET",
        path,
        trainerCredential,
      );
      const signature = await edge.sign({ version: newest + 1, parent: 0, adapter: ADAPTER });
      return asTrainer(edge, "POST", path, {
        publicationId: crypto.randomUUID(),
        epoch,
        parent: 0,
        baseModel: edge.baseModel,
        adapter: ADAPTER,
        evaluation: {
          tasks: 100,
          successes: 60,
          stableSuccesses: 50,
          gained: 15,
          lost: 5,
          comparedWith: 0,
          taskSet: "test",
        },
        step: 1,
        status: "canary",
        signature,
      });
    },
  ),
  attack(
    "a lease of another trainer",
    "acknowledges a lease that it does not hold",
    "leases have fencing tokens",
    [409, "LEASE_LOST"],
    (edge) =>
      asTrainer(edge, "POST", `/v1/trainer/leases/${crypto.randomUUID()}/acknowledge`, {
        fencingToken: 1,
        outcomes: [{ digest: "a".repeat(64), status: "learned", step: 1 }],
      }),
  ),
];
