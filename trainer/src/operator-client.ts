/** What an operator may read of the edge: every stored trajectory with its outcome. Read-only. */
import {
  TrajectoriesResponse,
  type TrajectoriesResponse as Page,
  TrajectoryDetail,
  type TrajectoryRow,
} from "@waggle/protocol";
import { createEdgeTransport, type EdgeTransportOptions } from "./edge-transport.ts";

export interface OperatorClient {
  /** Rows of one status, newest first, page by page. */
  rows(status: TrajectoryRow["status"]): AsyncIterable<readonly TrajectoryRow[]>;
  /** @throws WaggleError `NOT_FOUND` where it was deleted meanwhile. */
  trajectory(digest: string): Promise<TrajectoryDetail>;
}

/** The edge's largest page. */
const PAGE = 200;

export function createOperatorClient(options: EdgeTransportOptions): OperatorClient {
  const { answer } = createEdgeTransport(options);
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
  };
}
