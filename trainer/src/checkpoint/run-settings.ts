/** The settings of a run, by which an unfinished run is found and recognized. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isObject, WaggleError } from "@waggle/protocol";
import type { Settings } from "./checkpoint.ts";

/** As JSON stores them, so that settings that are read back compare equal. */
export function canonical(settings: Settings): Settings {
  return JSON.parse(JSON.stringify(settings)) as Settings;
}

/** The options of a command without those that do not change what is learned. */
export function settingsWithout<T extends object>(
  options: T,
  names: readonly (keyof T & string)[],
): Settings {
  const left: readonly string[] = names;
  return Object.fromEntries(Object.entries(options).filter(([name]) => !left.includes(name)));
}

/** The settings of a stored run, with the defaults of recipe settings that were added later. */
export function withAdded(stored: Settings, defaults: Settings): Settings {
  const { settings } = stored;
  if (!isObject(settings)) return stored;
  return { ...stored, settings: canonical({ ...defaults, ...settings }) };
}

/** The name of a run's folder, which contains a hash of the settings. */
export function folderNameOf(settings: Settings): string {
  const hash = createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 8);
  return `${folderPrefixOf(settings)}${hash}`;
}

/** The part of the name that does not change when settings are added. */
export function folderPrefixOf(settings: Settings): string {
  return `${String(settings["recipe"])}-${String(settings["environment"])}-`;
}

/**
 * A stored run without a source was in a built-in environment. If one of that name comes from a site now, it is the same
 * environment, moved out of the package: no other may have the name of a built-in one.
 *
 * @throws WaggleError `CONFLICT` that names the differing settings.
 */
export function requireSame(
  path: string,
  before: Settings,
  now: Settings,
  startOver: string,
): void {
  const movedOut = before["environmentSource"] === undefined;
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (name) => !(movedOut && name === "environmentSource"),
  );
  const differing = names.filter((name) => !isDeepStrictEqual(before[name], now[name]));
  if (differing.length === 0) return;
  const differences = differing.map(
    (name) => `${name} was ${JSON.stringify(before[name])} and is now ${JSON.stringify(now[name])}`,
  );
  throw new WaggleError(
    "CONFLICT",
    `the unfinished run in ${path} has other settings: ${differences.join("; ")}. Run it with its own settings to resume, start over ${startOver}, or choose another folder with --run`,
  );
}
