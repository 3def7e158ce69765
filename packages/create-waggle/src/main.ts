#!/usr/bin/env node
/** `npm create waggle`: asks on a terminal for what the options do not say, writes a site and installs its packages. */
import { spawnSync } from "node:child_process";
import { relative } from "node:path";
import { Command, Option } from "commander";
import { createProject, TEMPLATES, type Template } from "./project.ts";
import { askForSite, type Site } from "./questions.ts";

const DEFAULTS = { folder: "my-site", template: "vite" } as const;

type Flags = { readonly template?: Template; readonly yes: boolean; readonly install: boolean };

const program = new Command("create-waggle")
  .description("make a site whose assistant learns in the browsers of its visitors")
  .argument("[folder]", "a new or empty folder")
  .addOption(
    new Option("-t, --template <name>", "what the site is written in").choices(
      Object.keys(TEMPLATES),
    ),
  )
  .option("-y, --yes", `ask nothing; by default ${DEFAULTS.folder} and ${DEFAULTS.template}`, false)
  .option("--no-install", "do not install the packages")
  .action(async (folder: string | undefined, flags: Flags) => {
    const site = await siteOf(folder, flags);
    if (site === null) return;
    const path = createProject(site.folder, site.template);
    const manager = packageManager();
    const place = relative(process.cwd(), path) || ".";
    console.log(`made ${place} from the template ${site.template}`);
    if (flags.install) console.log("installing its packages; this can take some minutes …");
    if (flags.install && !isInstalled(manager, path)) {
      throw new Error(`${manager} install failed; correct what it says, and run it in ${place}`);
    }
    console.log(nextSteps(place, manager, flags.install));
  });

/** @returns null if the user gave up. */
async function siteOf(folder: string | undefined, flags: Flags): Promise<Site | null> {
  const { template } = flags;
  if (flags.yes) {
    return { folder: folder ?? DEFAULTS.folder, template: template ?? DEFAULTS.template };
  }
  if (folder !== undefined && template !== undefined) return { folder, template };
  if (process.stdin.isTTY && process.stdout.isTTY) {
    return askForSite({ folder, template }, DEFAULTS);
  }
  throw new Error(
    `${folder === undefined ? "the folder" : "--template"} is missing, and there is no terminal to ask on; write npm create waggle my-site -- --template ${Object.keys(TEMPLATES).join("|")}, or add --yes`,
  );
}

/** The program that runs this one. */
function packageManager(): string {
  const [name = ""] = (process.env["npm_config_user_agent"] ?? "").split("/");
  return ["pnpm", "yarn", "bun"].includes(name) ? name : "npm";
}

function isInstalled(manager: string, path: string): boolean {
  const shell = process.platform === "win32";
  // Otherwise onnxruntime-node downloads CUDA libraries, which nothing here uses.
  const env = { ONNXRUNTIME_NODE_INSTALL: "skip", ...process.env };
  return spawnSync(manager, ["install"], { cwd: path, env, stdio: "inherit", shell }).status === 0;
}

function nextSteps(place: string, manager: string, hasInstalled: boolean): string {
  const run = manager === "npm" ? "npm run" : manager;
  const steps = [
    ...(place === "." ? [] : [`cd ${place}`]),
    ...(hasInstalled ? [] : [`${manager} install`]),
    `${manager} test       # the site's own checks`,
    `${run} check  # environment, tools, and whether page and practice agree`,
    `${run} dev    # page, edge, trainer and dashboard; the first start makes a model, which takes minutes`,
  ];
  return `next:\n${steps.map((step) => `  ${step}`).join("\n")}`;
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
