/**
 * Publishes guidance text as a version: the stable adapter with the text beside it. The edge
 * accepts a version without an evaluation on the canary channel only if told so; only the operator
 * can promote it.
 */
import { randomUUID } from "node:crypto";
import {
  type PolicyVersion,
  readGuidance,
  sha256,
  WaggleError,
  writeGuidance,
} from "@waggle/protocol";
import { guidanceReading } from "@waggle/learning";
import type { Command } from "commander";
import type { EdgeClient } from "../edge/edge-client.ts";
import { bytesOf } from "../files/output.ts";
import { withoutEvaluationOption } from "../options/shared-options.ts";

/** Maximum tries while another trainer publishes first. */
const MAX_TRIES = 10;

/**
 * Publishes to the canary.
 * @throws WaggleError `SCHEMA_INVALID` for an invalid guidance file; `GATE_NOT_PASSED` unless
 *   `withoutEvaluation` is set; `PUBLICATION_STALE` if other publishers are faster every time
 */
export async function publishText(
  file: Uint8Array,
  edge: Pick<EdgeClient, "policies" | "putObject" | "publish">,
  { withoutEvaluation = false }: { readonly withoutEvaluation?: boolean } = {},
): Promise<PolicyVersion> {
  const guidance = readGuidance(file);
  guidanceReading(guidance, "", 0);
  const bytes = writeGuidance(guidance);
  const digest = await sha256(bytes);
  await edge.putObject(digest, bytes);
  const publicationId = randomUUID();
  for (let tries = 1; ; tries += 1) {
    const { stable, epoch, policies } = await edge.policies();
    const parent = policies.find(({ version }) => version === stable);
    try {
      return await edge.publish({
        publicationId,
        epoch,
        parent: stable,
        baseModel: parent?.baseModel ?? "",
        adapter: parent?.adapter ?? null,
        guidance: { sha256: digest, sizeBytes: bytes.length },
        evaluation: null,
        ...(withoutEvaluation ? { withoutEvaluation } : {}),
        step: parent?.step ?? 0,
        status: "canary",
      });
    } catch (error) {
      if (!WaggleError.is(error, "PUBLICATION_STALE") || tries === MAX_TRIES) throw error;
    }
  }
}

/** @param edgeOf - returns the edge that the command's options name */
export function addPublishTextCommand<O extends object>(
  command: Command,
  edgeOf: (given: O) => EdgeClient,
  writeOut: (line: string) => void,
): void {
  command
    .description("publish learned text (train --save-text) to the canary channel of an edge")
    .requiredOption("--file <json>", "file that train --save-text wrote")
    .addOption(withoutEvaluationOption("publish"))
    .action(async (given: O & { file: string; withoutEvaluation: boolean }) => {
      const file = await bytesOf(given.file, "--file");
      const version = await publishText(file, edgeOf(given), given);
      writeOut(JSON.stringify(version));
    });
}
