/** Records that are sent again, by this visitor or another. */
import type { AttackedEdge } from "../edge/attacked-edge.ts";
import { edgeRecord, type EdgeUpload, uploadOf } from "../edge/edge-record.ts";
import { type EdgeAttack, jsonHeaders, uploadOfBody } from "./edge-attack.ts";

const sent = (edge: AttackedEdge, ...uploads: readonly EdgeUpload[]) =>
  uploadOfBody(edge, JSON.stringify({ trajectories: uploads }));

const asNeighbor = ({ neighbor }: AttackedEdge, body: object) => ({
  method: "POST",
  path: "/v1/trajectories",
  headers: jsonHeaders(neighbor.token),
  body: JSON.stringify(body),
});

/** Uploads a valid record and returns it. */
async function accepted(edge: AttackedEdge): Promise<EdgeUpload> {
  const upload = await edge.validUpload();
  await edge.ask("POST", "/v1/trajectories", edge.page.token, { trajectories: [upload] });
  return upload;
}

const ONCE = "an id, a digest and an assignment are used once";

/** All of them. */
export const REPLAY_ATTACKS: readonly EdgeAttack[] = [
  {
    name: "another visitor's record",
    does: "uploads the record of another visitor",
    stoppedBy: ONCE,
    status: 409,
    code: "REPLAYED",
    request: async (edge) => asNeighbor(edge, { trajectories: [await accepted(edge)] }),
  },
  {
    name: "an id again",
    does: "uploads other content under an id that is stored",
    stoppedBy: ONCE,
    status: 409,
    code: "REPLAYED",
    request: async (edge) => {
      const { trajectory } = await accepted(edge);
      const next = edgeRecord(edge.baseModel, await edge.assign());
      return sent(edge, await uploadOf({ ...next, id: trajectory.id }));
    },
  },
  {
    name: "an assignment again",
    does: "answers an assignment twice, with a new id",
    stoppedBy: ONCE,
    status: 409,
    code: "ASSIGNMENT_MISMATCH",
    request: async (edge) => {
      const { trajectory } = await accepted(edge);
      return sent(edge, await uploadOf({ ...trajectory, id: crypto.randomUUID() }));
    },
  },
  {
    name: "a near copy for another assignment",
    does: "sends a stored rollout again for its next assignment",
    stoppedBy: "the seed is the one that was given",
    status: 409,
    code: "SEED_MISMATCH",
    request: async (edge) => {
      const { trajectory } = await accepted(edge);
      const { task, assignmentId } = edgeRecord(edge.baseModel, await edge.assign());
      return sent(
        edge,
        await uploadOf({ ...trajectory, id: crypto.randomUUID(), task, assignmentId }),
      );
    },
  },
  {
    name: "a near copy by another visitor",
    does: "sends a rollout again for the assignment of another visitor",
    stoppedBy: "the seed is the one that was given",
    status: 409,
    code: "SEED_MISMATCH",
    request: async (edge) => {
      const { trajectory } = await accepted(edge);
      const own = edgeRecord(edge.baseModel, await edge.assign(edge.neighbor));
      const { task, assignmentId } = own;
      const copy = { ...trajectory, id: crypto.randomUUID(), task, assignmentId };
      return asNeighbor(edge, { trajectories: [await uploadOf(copy)] });
    },
  },
  {
    name: "a digest of other content",
    does: "sends a record under the digest of another one",
    stoppedBy: "the digest is recomputed",
    status: 400,
    code: "DIGEST_MISMATCH",
    request: async (edge) => {
      const { digest } = await accepted(edge);
      return sent(edge, { ...(await edge.validUpload()), digest });
    },
  },
];
