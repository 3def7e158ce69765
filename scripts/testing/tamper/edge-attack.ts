/** Attacks over HTTP on a real Worker. Each must be refused with its code, and must leave the rows as they were. */
import type { AttackedEdge } from "../edge/attacked-edge.ts";
import type { RawReply, RawRequest } from "../edge/raw-request.ts";
import type { Attack, AttackResult } from "./attack.ts";

/** An attack of one request. */
export type EdgeAttack = Attack & {
  /** Status of the refusal. */
  readonly status: number;
  /** Code of the refusal; `null` without an error body. */
  readonly code: string | null;
  /** The request. Preparations may change rows. */
  readonly request: (edge: AttackedEdge) => Promise<RawRequest> | RawRequest;
};

/** Status and code of a refusal. */
export type Refusal = readonly [status: number, code: string | null];

/** An attack as a row. */
export function attack(
  name: string,
  does: string,
  stoppedBy: string,
  [status, code]: Refusal,
  request: EdgeAttack["request"],
): EdgeAttack {
  return { name, does, stoppedBy, status, code, request };
}

/** Sends the request of an attack. */
export async function runEdgeAttack(edge: AttackedEdge, attack: EdgeAttack): Promise<AttackResult> {
  const { name, does, stoppedBy, status, code } = attack;
  const request = await attack.request(edge);
  const before = edge.stored();
  const reply = await edge
    .send(request)
    .catch((error: unknown): RawReply => ({ status: 0, code: null, text: String(error) }));
  const isRefused = reply.status === status && reply.code === code;
  const changed = edge.stored() === before ? "" : "; rows changed";
  const said = `${reply.status} ${reply.code ?? reply.text.slice(0, 60)}${changed}`;
  return {
    name,
    does,
    stoppedBy,
    result: isRefused && changed === "" ? "rejected" : "failed",
    details: isRefused ? said : `${said}; expected ${status} ${code ?? ""}`,
  };
}

/** Headers of a JSON request with a token. */
export const jsonHeaders = (token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
});

/** An upload of this body by the visitor. */
export function uploadOfBody(
  { page }: AttackedEdge,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): RawRequest {
  return {
    method: "POST",
    path: "/v1/trajectories",
    headers: { ...jsonHeaders(page.token), ...headers },
    body,
  };
}
