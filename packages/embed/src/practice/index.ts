/** For pages in which simulated visitors practice: the switch, the address parameters, and a status for programs. */
export { isLocalAddress, readPageRequest, readSiteConfig } from "./page-request.ts";
export { reportStatus } from "./page-status.ts";
export type { PageStatus } from "./page-status.ts";
export { connectPractice } from "./practice-switch.ts";
