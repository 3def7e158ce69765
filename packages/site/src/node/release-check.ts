/** Releases: what their fields ask for together, and of the site's metrics. */
import { releaseRefusal, ReleaseSetting } from "@waggle/protocol";
import type { SiteDefinition } from "../site-definition.ts";
import type { Mistake } from "./field-check.ts";

/** @param definition - its fields are valid. */
export function releaseMistakes({ gate, metrics = {} }: SiteDefinition): readonly Mistake[] {
  const release = gate?.release;
  if (release === undefined) return [];
  const path = ["gate", "release"];
  const refusal = releaseRefusal(release, metrics);
  if (refusal !== null) return [{ path, message: `gate.release: ${refusal}` }];
  const { error } = ReleaseSetting.safeParse(release);
  return (error?.issues ?? []).map((issue) => ({
    path: [...path, ...issue.path.map((key) => (typeof key === "symbol" ? String(key) : key))],
    message: `${[...path, ...issue.path].join(".")} ${issue.message}`,
  }));
}
