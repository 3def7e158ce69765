/**
 * Runs the trainer and kills its process right after a named call took effect:
 * `node killed-trainer.fixture.ts <boundary> <trainer arguments>`. Prints the environments of each lease as an event.
 */
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import type { LeaseResponse } from "@waggle/protocol";

/** Requests by boundary; the process dies once the response has arrived. */
const LEASE = /^POST \/v1\/trainer\/leases$/;
const REQUESTS: { readonly [boundary: string]: RegExp } = {
  put: /^PUT \/v1\/trainer\/objects\//,
  lease: LEASE,
  acknowledge: /^POST \/v1\/trainer\/leases\/[^/]+\/acknowledge$/,
  publish: /^POST \/v1\/trainer\/policies$/,
  promote: /^POST \/v1\/trainer\/policies\/\d+\/promote$/,
};

const [boundary = ""] = process.argv.splice(2, 1);
/** Prints the environments of a lease. Called before the trainer gets the lease and before the process is killed. */
function reportLease(body: string): void {
  const { groups } = JSON.parse(body) as LeaseResponse;
  if (groups.length === 0) return;
  const environments = groups.map(({ task }) => task?.environment ?? "none");
  process.stdout.write(`${JSON.stringify({ event: "leased", environments })}\n`);
}
const die = (): void => void process.kill(process.pid, "SIGKILL");

const realFetch = globalThis.fetch;
let hasLearned = false;
globalThis.fetch = async (input, init) => {
  const response = await realFetch(input, init);
  const body = await response.clone().text();
  const request = `${init?.method} ${new URL(input instanceof Request ? input.url : input).pathname}`;
  if (LEASE.test(request) && response.ok) reportLease(body);
  // An empty lease does not count. Objects are those of a publication, not of the base model.
  const isEmpty = boundary === "lease" && body.includes('"leaseId":null');
  const isEarly = boundary === "put" && !hasLearned;
  if (REQUESTS[boundary]?.test(request) && response.ok && !isEmpty && !isEarly) die();
  return response;
};

const realRename = fs.rename;
fs.rename = async (from, to) => {
  await realRename(from, to);
  if (basename(String(to)) !== "state.json") return;
  const { state } = JSON.parse(await fs.readFile(to, "utf8")) as {
    state: { publication: unknown; acknowledgements: unknown[] };
  };
  hasLearned ||= state.publication !== null;
  // The commit of a learning step, before its trajectories are acknowledged.
  if (boundary === "commit" && state.acknowledgements.length > 0) die();
};
syncBuiltinESMExports();

await import("../../packages/cli/src/main.ts");
