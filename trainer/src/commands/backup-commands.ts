/** `backup` and `restore`: the stored data of an edge's sites in a folder. */
import { SITE_HEADER, WaggleError } from "@waggle/protocol";
import type { Command } from "commander";
import { createBackupClient } from "../backup/backup-client.ts";
import type { BackupManifest } from "../backup/backup-manifest.ts";
import { restoreBackup } from "../backup/restore-backup.ts";
import { type BackupOptions, updateDeletions, writeBackup } from "../backup/write-backup.ts";
import { createEdgeClient } from "../edge/edge-client.ts";
import { createSiteClient } from "../edge/site-client.ts";
import { textTable } from "../metrics/text-table.ts";
import { CREDENTIAL_VARIABLES } from "../options/credentials.ts";
import {
  type OperatorOptions,
  operatorTransport,
  withInstallation,
} from "../options/operator-options.ts";
import type { ProgramOptions } from "../options/program-options.ts";
import { jsonOption, operatorNameOption, siteOption } from "../options/shared-options.ts";
import { createdLines } from "./site-lines.ts";

type Flags = OperatorOptions & { json: boolean };

export function addBackupCommands(program: Command, options: ProgramOptions): void {
  const { writeOut, writeError, environment } = options;

  withInstallation(program.command("backup"))
    .argument("<folder>", "folder for the backup; one that was stopped goes on")
    .description("copy what an edge stores into a folder")
    .addOption(siteOption("only this site (default: every site)"))
    .option("--deletions", "only add the deletion requests since then to a complete backup", false)
    .addOption(operatorNameOption())
    .addOption(jsonOption())
    .action(async (folder: string, { site, ...flags }: Flags & { deletions: boolean }) => {
      const transport = operatorTransport(flags, options);
      const sites = createSiteClient(transport);
      const parts: BackupOptions = {
        edge: createBackupClient(transport),
        sites: async () => (site === undefined ? sites.list() : [await sites.get(site)]),
        now: () => new Date(),
        report: writeError,
      };
      const manifest = await (flags.deletions ? updateDeletions : writeBackup)(folder, parts);
      if (flags.json) writeOut(JSON.stringify(summary(manifest)));
      else for (const line of table(manifest)) writeOut(line);
    });

  withInstallation(program.command("restore"))
    .argument("<folder>", "folder of a complete backup")
    .description("restore a backup into an empty edge; the trainer's credential sends the models")
    .addOption(operatorNameOption())
    .addOption(jsonOption())
    .action(async (folder: string, flags: Flags) => {
      const transport = operatorTransport(flags, options);
      const credential = environment[CREDENTIAL_VARIABLES.trainer] ?? "";
      if (credential === "") {
        throw new WaggleError(
          "UNAUTHENTICATED",
          `restore also needs the trainer's credential of the installation; set ${CREDENTIAL_VARIABLES.trainer}`,
        );
      }
      const { stored, forgotten, manifest } = await restoreBackup(folder, {
        edge: createBackupClient(transport),
        sites: createSiteClient(transport),
        trainerOf: (site) =>
          createEdgeClient({ ...transport, credential, headers: { [SITE_HEADER]: site } }),
        created: (site) => {
          if (flags.json) writeOut(JSON.stringify({ created: site }));
          else for (const line of createdLines(site)) writeOut(line);
        },
        report: writeError,
      });
      const { deletionsAt } = manifest;
      if (flags.json) {
        writeOut(JSON.stringify({ stored, forgotten, deletionsAt }));
        return;
      }
      writeOut(`Stored ${stored} rows. Left out ${forgotten} rows of visitors who were forgotten.`);
      writeOut(
        `Deletion requests after ${deletionsAt} are not in the backup. Run waggle delete-visitor for each.`,
      );
    });
}

/** What a backup has, by site. */
function summary({ startedAt, finishedAt, deletionsAt, sites }: BackupManifest) {
  return {
    startedAt,
    finishedAt,
    deletionsAt,
    sites: sites.map(({ site, tables, files, missingObjects, missingFiles }) => ({
      site: site.id,
      versions: tables.policies?.rows ?? 0,
      trajectories: tables.trajectories?.rows ?? 0,
      feedback: tables.feedback?.rows ?? 0,
      files: files.length,
      missingObjects,
      missingFiles: missingFiles.length,
    })),
  };
}

function table(manifest: BackupManifest): string[] {
  const rows = summary(manifest).sites.map((each) => [
    each.site,
    String(each.versions),
    String(each.trajectories),
    String(each.feedback),
    String(each.files),
    String(each.missingObjects + each.missingFiles),
  ]);
  const head = ["site", "versions", "trajectories", "feedback", "model files", "missing objects"];
  return textTable([head, ...rows]);
}
