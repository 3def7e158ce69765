/** Results of device checks, kept between visits if the page can use storage. */
import { isObject } from "@waggle/protocol";
import type { SelfCheckResult } from "./agreement/self-check.ts";
import type { DeviceCheck } from "./worker/messages.ts";

const STORAGE_KEY = "waggle-device-checks";

/** Maximum results kept: for several models, formats and earlier builds. */
const MOST_KEPT = 32;

export function readChecks(): Readonly<Record<string, SelfCheckResult>> {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}") as unknown;
    return isObject(stored) ? (stored as Record<string, SelfCheckResult>) : {};
  } catch {
    return {}; // no storage, or unreadable: the device is checked again
  }
}

export function writeCheck({ key, result }: DeviceCheck): void {
  const { [key]: known, ...others } = readChecks();
  if (known !== undefined) return;
  const kept = [...Object.entries(others), [key, result] as const].slice(-MOST_KEPT);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // no storage: the device is checked again
  }
}
