/**
 * Reads verified trajectories for an export: from an edge (the trainer stores none on disk), or
 * from a file that `--format waggle` wrote. Reading changes nothing: no lease is taken.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { TrajectoryDetail, WaggleError } from "@waggle/protocol";
import { requireCredential } from "../options/credentials.ts";
import { createOperatorClient, type OperatorClient } from "../edge/operator-client.ts";

/** Where and how to read records. */
export type RecordSourceOptions = {
  /** Origin of an edge, or a JSONL file. */
  readonly from: string;
  /** The edge operator's credential. */
  readonly credential: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly signal: AbortSignal;
};

/** Maximum concurrent requests to the edge. */
const PARALLEL = 8;

/**
 * The records, newest first from an edge and in the order of a file. An edge returns trajectories
 * that were learned from or skipped; refused and unjudged ones are not training data.
 *
 * @throws WaggleError `NOT_FOUND` without the file, `SCHEMA_INVALID` naming its bad line,
 *   `UNAUTHENTICATED` without a credential for an edge, and the edge's own refusals.
 */
export function readRecords(options: RecordSourceOptions): AsyncIterable<TrajectoryDetail> {
  return /^https?:\/\//.test(options.from) ? fromEdge(options) : fromFile(options.from);
}

async function* fromEdge(options: RecordSourceOptions): AsyncIterable<TrajectoryDetail> {
  const { from, signal } = options;
  const credential = requireCredential("operator", options.credential, "exporting from an edge");
  const client = createOperatorClient({
    baseUrl: from,
    credential,
    signal,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  for (const status of ["learned", "skipped"] as const) {
    for await (const rows of client.rows(status)) {
      for (let at = 0; at < rows.length; at += PARALLEL) {
        signal.throwIfAborted();
        const found = await Promise.all(
          rows.slice(at, at + PARALLEL).map(({ digest }) => unlessForgotten(client, digest)),
        );
        yield* found.filter((record) => record !== null);
      }
    }
  }
}

/** A visitor can be forgotten between the listing and the read. */
async function unlessForgotten(
  client: OperatorClient,
  digest: string,
): Promise<TrajectoryDetail | null> {
  try {
    return await client.trajectory(digest);
  } catch (error) {
    if (WaggleError.is(error, "NOT_FOUND")) return null;
    throw error;
  }
}

async function* fromFile(path: string): AsyncIterable<TrajectoryDetail> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) {
    throw new WaggleError(
      "NOT_FOUND",
      `cannot read --from ${path}; pass the address of an edge or a JSONL file of trajectories`,
    );
  }
  let number = 0;
  for await (const line of createInterface({
    input: createReadStream(path),
    crlfDelay: Infinity,
  })) {
    number += 1;
    if (line.trim() !== "") yield recordOf(line, number);
  }
}

function recordOf(line: string, number: number): TrajectoryDetail {
  let problem = "not JSON";
  try {
    const record = TrajectoryDetail.safeParse(JSON.parse(line));
    if (record.success) return record.data;
    const [issue] = record.error.issues;
    problem = `${issue?.path.join(".") ?? ""} (${issue?.message ?? ""})`;
  } catch {
    // Reported below, with the line.
  }
  throw new WaggleError(
    "SCHEMA_INVALID",
    `line ${number} is not a trajectory written by --format waggle: ${problem}; export again`,
  );
}
