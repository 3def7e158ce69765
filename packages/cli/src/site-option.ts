/** The option `--site` of the commands that run a site. */
import { type Site, siteFrom } from "@waggle/dev";
import { WaggleError } from "@waggle/protocol";
import { Option } from "commander";

/** What a command runs without `--site`. */
export type DefaultSite = {
  /** In help texts. */
  readonly title: string;
  readonly site: Site;
};

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
  if (source === undefined && otherwise !== undefined) return otherwise.site;
  try {
    return await siteFrom(source ?? ".");
  } catch (error) {
    if (!WaggleError.is(error)) throw error;
    throw new WaggleError("INVALID_ARGUMENT", `error: ${error.message}`, { cause: error });
  }
}
