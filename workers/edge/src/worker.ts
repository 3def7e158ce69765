/** Entry point of a Worker without tools of its own, and the Durable Objects of every Worker. */
import { createEdge } from "./create-edge.ts";

export { Coordinator } from "./coordinator.ts";
export { RateLimiter } from "./rate-limiter.ts";

export default createEdge();
