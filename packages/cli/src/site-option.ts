/** How commands are told which sites they run: `[site]` or `--site`, with the same meaning in all of them. */
import { type Site, siteFrom, sitesFrom } from "@waggle/dev";
import { WaggleError } from "@waggle/protocol";
import { type Command, Option } from "commander";

/** What a command runs without `--site`. */
export type DefaultSite = {
  /** In help texts. */
  readonly title: string;
  /** @param model - absolute folder of the model that the user chose */
  readonly load: (model?: string) => Promise<Site>;
};

/** Gives the command `[site]` and `--site`. Its action finds either of them in the option `site`; both are refused. */
export function withSite(command: Command, otherwise?: DefaultSite): Command {
  return command
    .argument("[site]", "the same as --site")
    .addOption(siteOption(otherwise))
    .hook("preAction", () => argumentsAsSite(command, ([site]) => site));
}

/** Gives the command `[sites...]` and `--site`, which may be repeated, and works as `withSite`. */
export function withSites(command: Command): Command {
  return command
    .argument("[sites...]", "the same as --site")
    .addOption(
      siteOption(undefined, "; may be repeated").argParser(
        (source, before: readonly string[] | undefined) => [...(before ?? []), source],
      ),
    )
    .hook("preAction", () => argumentsAsSite(command, (sources) => sources));
}

function argumentsAsSite(command: Command, value: (sources: readonly string[]) => unknown): void {
  if (command.args.length === 0) return;
  if (command.getOptionValue("site") !== undefined) {
    command.error("error: the site is given twice; write it as [site] or as --site");
  }
  command.setOptionValue("site", value(command.args));
}

/** @param otherwise - absent: the site in the working folder. */
export function siteOption(otherwise?: DefaultSite, more = ""): Option {
  const title = otherwise?.title ?? "the working folder";
  return new Option(
    "--site <source>",
    `folder with waggle.config.ts, or a file or package that exports an environment${more} (default: ${title})`,
  );
}

/**
 * Loads the site.
 *
 * @param model - as in `DefaultSite`
 * @throws WaggleError `INVALID_ARGUMENT` for one that does not load.
 */
export async function siteOf(
  source: string | undefined,
  otherwise?: DefaultSite,
  model?: string,
): Promise<Site> {
  if (source === undefined && otherwise !== undefined) return otherwise.load(model);
  return loaded(siteFrom(source ?? "."));
}

/** Loads the sites. @throws WaggleError `INVALID_ARGUMENT` for one that does not load, or that conflicts with another. */
export async function sitesOf([first = ".", ...others]: readonly string[] = []): Promise<
  [Site, ...Site[]]
> {
  return loaded(sitesFrom([first, ...others]));
}

async function loaded<T>(loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (error) {
    if (!WaggleError.is(error)) throw error;
    throw new WaggleError("INVALID_ARGUMENT", `error: ${error.message}`, { cause: error });
  }
}
