/**
 * Operator actions at the edge: read trajectories, handle dead letters, export and delete visitors.
 */
import {
  ConsentResponse,
  type ConsentResponse as Consent,
  DeletionResponse,
  type DeletionResponse as Deletion,
  DeletionsResponse,
  type DeletionsResponse as Deletions,
  type DeadLetter,
  DeadLettersResponse,
  OperatorSummary,
  type OperatorSummary as Summary,
  ReconcileResponse,
  type ReconcileResponse as Reconciled,
  TrajectoriesResponse,
  type TrajectoriesResponse as Page,
  TrajectoryDetail,
  type TrajectoryRow,
  UnfinishedObjectsResponse,
  type UnfinishedObjectsResponse as Unfinished,
} from "@waggle/protocol";
import { createEdgeTransport, type EdgeTransportOptions } from "./edge-transport.ts";

export interface OperatorClient {
  /** Rows of one status, newest first, page by page. */
  rows(status: TrajectoryRow["status"]): AsyncIterable<readonly TrajectoryRow[]>;
  /** @throws WaggleError `NOT_FOUND` if it was deleted meanwhile. */
  trajectory(digest: string): Promise<TrajectoryDetail>;
  consent(): Promise<Consent>;
  summary(): Promise<Summary>;
  /** Everything stored about a visitor, as JSON lines. */
  exportVisitor(visitorId: string): Promise<string>;
  deleteVisitor(visitorId: string): Promise<Deletion>;
  /** The versions that learned from visitors who were forgotten since. */
  deletions(): Promise<Deletions>;
  /** Newest first, page by page. */
  deadLetters(): AsyncIterable<readonly DeadLetter[]>;
  /** @throws WaggleError `NOT_FOUND` if the digest is not a dead letter. */
  retryDeadLetter(digest: string): Promise<void>;
  /** @throws WaggleError `NOT_FOUND` if the digest is not a dead letter. */
  deleteDeadLetter(digest: string): Promise<void>;
  /** Compares one page of what is stored. @param cursor - `nextCursor` of the page before, `null` for the first */
  reconcile(cursor: string | null, repair: boolean): Promise<Reconciled>;
  /** Objects of which only parts are stored. */
  unfinishedObjects(): Promise<Unfinished["objects"]>;
  /** Deletes the parts. @throws WaggleError `NOT_FOUND` if there are none. */
  deleteUnfinishedObject(sha256: string): Promise<void>;
}

/** The edge's maximum page size. */
const PAGE = 200;

/** Creates a client for one edge. */
export function createOperatorClient(options: EdgeTransportOptions): OperatorClient {
  const { answer, done, send } = createEdgeTransport(options);
  return {
    async *rows(status) {
      let cursor: string | null = null;
      do {
        const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
        const path = `/v1/operator/trajectories?status=${status}&limit=${PAGE}${after}`;
        const page: Page = await answer({ method: "GET", path }, TrajectoriesResponse);
        yield page.rows;
        cursor = page.nextCursor;
      } while (cursor !== null);
    },
    trajectory: (digest) =>
      answer({ method: "GET", path: `/v1/operator/trajectories/${digest}` }, TrajectoryDetail),
    consent: () => answer({ method: "GET", path: "/v1/operator/consent" }, ConsentResponse),
    summary: () => answer({ method: "GET", path: "/v1/operator/summary" }, OperatorSummary),
    exportVisitor: (visitorId) =>
      send({ method: "GET", path: `${visitorPath(visitorId)}/export` }, (response) =>
        response.text(),
      ),
    deleteVisitor: (visitorId) =>
      answer({ method: "DELETE", path: visitorPath(visitorId) }, DeletionResponse),
    deletions: () => answer({ method: "GET", path: "/v1/operator/deletions" }, DeletionsResponse),
    async *deadLetters() {
      let cursor: string | null = null;
      do {
        const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
        const path = `/v1/operator/dead-letters?limit=${PAGE}${after}`;
        const page: DeadLettersResponse = await answer(
          { method: "GET", path },
          DeadLettersResponse,
        );
        yield page.rows;
        cursor = page.nextCursor;
      } while (cursor !== null);
    },
    retryDeadLetter: (digest) =>
      done({ method: "POST", path: `/v1/operator/dead-letters/${digest}/retry` }),
    deleteDeadLetter: (digest) =>
      done({ method: "DELETE", path: `/v1/operator/dead-letters/${digest}` }),
    reconcile: (cursor, repair) =>
      answer(
        { method: "POST", path: "/v1/operator/reconcile", json: { cursor, repair } },
        ReconcileResponse,
      ),
    async unfinishedObjects() {
      const path = "/v1/operator/unfinished-objects";
      return (await answer({ method: "GET", path }, UnfinishedObjectsResponse)).objects;
    },
    deleteUnfinishedObject: (sha256) =>
      done({ method: "DELETE", path: `/v1/operator/unfinished-objects/${sha256}` }),
  };
}

function visitorPath(visitorId: string): string {
  return `/v1/operator/visitors/${encodeURIComponent(visitorId)}`;
}
