/**
 * Publishes guidance as a version of its own: the stable adapter, and text beside it. It goes to the canary
 * channel like every version; promoting it or taking it back is the operator's.
 */
import { readFile } from "node:fs/promises";
import { type PolicyVersion, readGuidance, sha256, writeGuidance } from "@waggle/protocol";
import { guidanceReading } from "@waggle/learning/states";
import type { Command } from "commander";
import type { EdgeClient } from "./edge-client.ts";

/** The canary. @throws WaggleError `SCHEMA_INVALID` for a file that is no guidance */
export async function publishText(
  file: Uint8Array,
  edge: Pick<EdgeClient, "policies" | "putObject" | "publish">,
): Promise<PolicyVersion> {
  const guidance = readGuidance(file);
  guidanceReading(guidance, "", 0);
  const bytes = writeGuidance(guidance);
  const digest = await sha256(bytes);
  const { stable, policies } = await edge.policies();
  const parent = policies.find(({ version }) => version === stable);
  await edge.putObject(digest, bytes);
  return edge.publish({
    version: Math.max(...policies.map(({ version }) => version)) + 1,
    parent: stable,
    baseModel: parent?.baseModel ?? "",
    adapter: parent?.adapter ?? null,
    guidance: { sha256: digest, sizeBytes: bytes.length },
    evaluation: null,
    step: parent?.step ?? 0,
  });
}

/** @param edgeOf - the edge that the command's options name. */
export function addPublishTextCommand<O extends object>(
  command: Command,
  edgeOf: (given: O) => EdgeClient,
  writeOut: (line: string) => void,
): void {
  command
    .description("publish learned text (learn --save-text) to the canary channel of an edge")
    .requiredOption("--file <json>", "as learn --save-text wrote it")
    .action(async (given: O & { file: string }) => {
      const version = await publishText(new Uint8Array(await readFile(given.file)), edgeOf(given));
      writeOut(JSON.stringify(version));
    });
}
