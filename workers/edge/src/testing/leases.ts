/** Leases of tests that wait for one, or find none. */
import type { LeaseResponse } from "@waggle/protocol";
import { expect } from "vitest";
import { lease } from "./edge.ts";

/** The next lease that has something. */
export async function nextLease(): Promise<LeaseResponse> {
  let found: LeaseResponse | null = null;
  const soon = { timeout: 20_000, interval: 100 };
  await expect.poll(async () => (found = await lease()).groups.length, soon).toBeGreaterThan(0);
  return found as unknown as LeaseResponse;
}

/** Whether there is nothing to lease, also after the deadline of a group, which the test sets to one second. */
export async function nothingToLease(): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 2500));
  return (await lease()).groups.length === 0;
}
