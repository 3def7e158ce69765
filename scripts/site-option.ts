/** The option `--site` of `npm run loop` and `npm start`. */
import { WaggleError } from "@waggle/protocol";
import { type Command, Option } from "commander";
import { type Site, siteFrom } from "./site.ts";

export function siteOption(): Option {
  return new Option(
    "--site <source>",
    "a file or package that exports an environment, such as ./my-site.ts (default: the demo shop)",
  );
}

/** Loads the site. Exits with code 2 if that fails. */
export async function siteOf(
  source: string | undefined,
  program: Command,
): Promise<Site | undefined> {
  if (source === undefined) return undefined;
  try {
    return await siteFrom(source);
  } catch (error) {
    if (!WaggleError.is(error)) throw error;
    return program.error(`error: ${error.message}`);
  }
}
