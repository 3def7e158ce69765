/**
 * Runs the trainer and kills its process right after a named call took effect:
 * `node killed-trainer.fixture.ts <boundary> <trainer arguments>`.
 */
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";

/** Requests by boundary; the process dies once the response has arrived. */
const REQUESTS: { readonly [boundary: string]: RegExp } = {
  put: /^PUT \/v1\/trainer\/objects\//,
  lease: /^POST \/v1\/trainer\/leases$/,
  acknowledge: /^POST \/v1\/trainer\/leases\/[^/]+\/acknowledge$/,
  publish: /^POST \/v1\/trainer\/policies$/,
  promote: /^POST \/v1\/trainer\/policies\/\d+\/promote$/,
};

const [boundary = ""] = process.argv.splice(2, 1);
const die = (): void => void process.kill(process.pid, "SIGKILL");

const realFetch = globalThis.fetch;
let hasLearned = false;
globalThis.fetch = async (input, init) => {
  const response = await realFetch(input, init);
  const body = await response.clone().text();
  const request = `${init?.method} ${new URL(input instanceof Request ? input.url : input).pathname}`;
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
