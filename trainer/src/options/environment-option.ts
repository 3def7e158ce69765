/** `--env`, with the built-in environments in its help. */
import { ENVIRONMENTS } from "@waggle/environments";
import { Option } from "commander";

/** @param byDefault - text for the default in the help; absent: there is none */
export function environmentOption(byDefault?: string): Option {
  const otherwise = byDefault === undefined ? "" : ` (default: ${byDefault})`;
  return new Option(
    "--env <source>",
    `environment: ${ENVIRONMENTS.map(({ name }) => name).join(", ")}, the folder of a site, or a file or package that exports one, such as ./my-site.ts#name${otherwise}`,
  );
}
