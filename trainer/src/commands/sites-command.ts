/** `sites`: lists, creates, changes and disables the sites of an edge. */
import { DEFAULT_SITE, RotateCredentialRequest, type Site, WaggleError } from "@waggle/protocol";
import { Argument, type Command, Option } from "commander";
import { createSiteClient, type SiteClient } from "../edge/site-client.ts";
import { textTable } from "../metrics/text-table.ts";
import {
  type OperatorOptions,
  operatorTransport,
  type OperatorProcess,
  withInstallation,
} from "../options/operator-options.ts";
import { wholeIn } from "../options/option-values.ts";
import { jsonOption, operatorNameOption } from "../options/shared-options.ts";
import { parseSiteSettings } from "../options/site-settings.ts";
import { createdLines, ONCE, siteLines } from "./site-lines.ts";

const ROLE = RotateCredentialRequest.shape.role;

type SitesCommandOptions = OperatorProcess & { readonly writeOut: (line: string) => void };
type Flags = OperatorOptions & { name?: string; overlapHours?: number; json: boolean };

/** What an action prints: `json` with `--json`, otherwise `lines`. */
type Output = { readonly json: unknown; readonly lines: readonly string[] };
type Call = {
  readonly client: SiteClient;
  readonly id: string;
  readonly values: readonly string[];
  readonly name: string | undefined;
  readonly overlapHours: number | undefined;
};

const ACTIONS = ["list", "show", "add", "set", "disable", "enable", "rotate"] as const;
type Action = (typeof ACTIONS)[number];

export function addSitesCommand(program: Command, options: SitesCommandOptions): void {
  withInstallation(program.command("sites"))
    .description("list, create, change and disable the sites of an edge")
    .addArgument(new Argument("[action]", "what to do").choices(ACTIONS).default("list"))
    .argument("[site]", "id of the site; every action but list needs it")
    .argument(
      "[values...]",
      "add and set: settings as name=value, lists as a,b, metrics and gateRelease as JSON; name= removes one. rotate: trainer, operator or outcomes",
    )
    .option("--name <text>", "add and set: name of the site")
    .addOption(
      new Option(
        "--overlap-hours <h>",
        "rotate: hours for which the previous credential still works",
      )
        .argParser(wholeIn(0, 168))
        .default(undefined, "none"),
    )
    .addOption(operatorNameOption())
    .addOption(jsonOption())
    .action(async (action: Action, id: string | undefined, values: string[], flags: Flags) => {
      const client = createSiteClient(operatorTransport(flags, options));
      const { name, overlapHours } = flags;
      const { json, lines } = await run(action, { client, id, values, name, overlapHours });
      for (const line of flags.json ? [JSON.stringify(json)] : lines) options.writeOut(line);
    });
}

function run(action: Action, { id, ...rest }: Omit<Call, "id"> & { id: string | undefined }) {
  const takesValues = action === "add" || action === "set" || action === "rotate";
  const [surplus] = rest.values;
  if (surplus !== undefined && !takesValues) {
    throw new WaggleError("INVALID_ARGUMENT", `sites ${action} takes no "${surplus}"`);
  }
  if (rest.name !== undefined && action !== "add" && action !== "set") {
    throw new WaggleError("INVALID_ARGUMENT", `sites ${action} takes no --name`);
  }
  if (rest.overlapHours !== undefined && action !== "rotate") {
    throw new WaggleError("INVALID_ARGUMENT", `sites ${action} takes no --overlap-hours`);
  }
  if (action === "list") {
    if (id === undefined) return list(rest.client);
    throw new WaggleError("INVALID_ARGUMENT", `sites list takes no site; try: sites show ${id}`);
  }
  if (id === undefined) {
    throw new WaggleError("INVALID_ARGUMENT", `name the site: sites ${action} <site>`);
  }
  return CALLS[action]({ ...rest, id });
}

async function list(client: SiteClient): Promise<Output> {
  const sites = await client.list();
  const rows = sites.map(({ id, name, disabledAt, settings }) => [
    id,
    disabledAt === null ? "served" : "disabled",
    settings.taskEnvironment ?? "none",
    settings.allowedOrigins?.join(",") ?? "none",
    name,
  ]);
  const head = ["site", "state", "tasks", "origins", "name"];
  return { json: { sites }, lines: textTable([head, ...rows]) };
}

const CALLS: { readonly [action in Exclude<Action, "list">]: (call: Call) => Promise<Output> } = {
  show: async ({ client, id }) => shown(await client.get(id)),

  async add({ client, id, values, name }) {
    const changes = Object.entries(parseSiteSettings(values));
    const settings = Object.fromEntries(changes.filter(([, value]) => value !== null));
    const json = await client.create({ id, settings, ...(name === undefined ? {} : { name }) });
    return { json, lines: createdLines(json) };
  },

  async set({ client, id, values, name }) {
    const settings = parseSiteSettings(values);
    if (values.length === 0 && name === undefined) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `name settings to change, such as: sites set ${id} groupSize=4`,
      );
    }
    return shown(await client.change(id, { settings, ...(name === undefined ? {} : { name }) }));
  },

  disable: async ({ client, id }) => shown(await client.disable(id)),
  enable: async ({ client, id }) => shown(await client.enable(id)),

  async rotate({ client, id, values, overlapHours }) {
    const { data: role } = ROLE.safeParse(values[0]);
    if (values.length !== 1 || role === undefined) {
      const roles = ROLE.options.join(", ");
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `name one credential, such as: sites rotate ${id} trainer (of ${roles})`,
      );
    }
    const credential = await client.rotateCredential(id, {
      role,
      ...(overlapHours === undefined ? {} : { overlapHours }),
    });
    const earlier =
      overlapHours === undefined || overlapHours === 0
        ? "An earlier one no longer works."
        : `The one before it works for ${overlapHours} h.`;
    return {
      json: { site: id, role, credential },
      lines: [
        `${role === "outcomes" ? "credential for outcomes" : `${role}'s credential`}: ${credential}`,
        id === DEFAULT_SITE && role !== "outcomes"
          ? `It opens ${id} only. The installation's credential still works. ${earlier}`
          : earlier,
        ONCE,
      ],
    };
  },
};

function shown(site: Site): Output {
  return { json: site, lines: siteLines(site) };
}
