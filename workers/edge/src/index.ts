/** The edge Worker as a library: a project's Worker passes the code of its sites to `createWorker`. */
import { createWorker } from "./create-worker.ts";

export { Coordinator } from "./coordinator.ts";
export { RateLimiter } from "./rate-limiter.ts";
export { createWorker } from "./create-worker.ts";

/** A Worker without the code of any site, for sites without edge tools. */
export default createWorker({ sites: [] });
