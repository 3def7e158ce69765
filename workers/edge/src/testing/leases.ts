/** Leases of tests that wait for one, or find none. */
import type { LeaseResponse } from "@waggle/protocol";
import { lease } from "./edge.ts";

const SOON_MS = 20_000;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The next lease that has something. */
export async function nextLease(): Promise<LeaseResponse> {
  const deadline = Date.now() + SOON_MS;
  while (Date.now() < deadline) {
    const found = await lease();
    if (found.groups.length > 0) return found;
    await wait(100);
  }
  throw new Error(`nothing was leased in ${SOON_MS} ms`);
}

/** Whether there is nothing to lease, also after the deadline of a group, which the test sets to one second. */
export async function nothingToLease(): Promise<boolean> {
  await wait(2500);
  return (await lease()).groups.length === 0;
}
