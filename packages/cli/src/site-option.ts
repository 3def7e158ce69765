/** How commands are told which site they run: `[site]` or `--site`, with the same meaning in all of them. */
import { type Site, siteFrom } from "@waggle/dev";
import { WaggleError } from "@waggle/protocol";
import { type Command, Option } from "commander";

/** What a command runs without `--site`. */
export type DefaultSite = {
  /** In help texts. */
  readonly title: string;
  readonly load: () => Promise<Site>;
};

/** Gives the command `[site]` and `--site`. Its action finds either of them in the option `site`; both are refused. */
export function withSite(command: Command, otherwise?: DefaultSite): Command {
  return command
    .argument("[site]", "the same as --site")
    .addOption(siteOption(otherwise))
    .hook("preAction", () => {
      const [site] = command.args;
      if (site === undefined) return;
      if (command.getOptionValue("site") !== undefined) {
        command.error("error: the site is given twice; write it as [site] or as --site");
      }
      command.setOptionValue("site", site);
    });
}

/** @param otherwise - absent: the site in the working folder. */
export function siteOption(otherwise?: DefaultSite): Option {
  const title = otherwise?.title ?? "the working folder";
  return new Option(
    "--site <source>",
    `folder with waggle.config.ts, or a file or package that exports an environment (default: ${title})`,
  );
}

/** Loads the site. @throws WaggleError `INVALID_ARGUMENT` for one that does not load. */
export async function siteOf(source: string | undefined, otherwise?: DefaultSite): Promise<Site> {
  if (source === undefined && otherwise !== undefined) return otherwise.load();
  try {
    return await siteFrom(source ?? ".");
  } catch (error) {
    if (!WaggleError.is(error)) throw error;
    throw new WaggleError("INVALID_ARGUMENT", `error: ${error.message}`, { cause: error });
  }
}
