/** The environment whose tasks an edge assigns to a site, or why this process does not have it. */
import { type EnvironmentSpec, findEnvironment } from "@waggle/environments";
import { type ControlState, DEFAULT_SITE, WaggleError } from "@waggle/protocol";

/**
 * @param own - environments of the user, from `--env`.
 * @param named - what `--site` names; absent: the credential's own site.
 * @throws WaggleError `INVALID_ARGUMENT` with the options to pass.
 */
export function assignedEnvironment(
  { environment, site }: Pick<ControlState, "environment" | "site">,
  own: readonly EnvironmentSpec[] = [],
  named?: string,
): EnvironmentSpec {
  const found = findEnvironment(environment, own);
  if (found !== undefined) return found;
  throw refusal({ environment, site }, own, named);
}

/**
 * Checks that `--env` is the environment whose tasks the edge assigns. Without `--env`, that one must be built in.
 *
 * @param own - the environment of `--env`.
 * @param named - as for `assignedEnvironment`.
 * @throws WaggleError `INVALID_ARGUMENT` with the options to pass.
 */
export function requireAssigned(
  control: Pick<ControlState, "environment" | "site">,
  own: EnvironmentSpec | undefined,
  named?: string,
): void {
  const environments = own === undefined ? [] : [own];
  const found = assignedEnvironment(control, environments, named);
  if (own !== undefined && found !== own) throw refusal(control, environments, named);
}

function refusal(
  { environment, site }: Pick<ControlState, "environment" | "site">,
  own: readonly EnvironmentSpec[],
  named: string | undefined,
): WaggleError {
  const id = named ?? site ?? DEFAULT_SITE;
  return new WaggleError(
    "INVALID_ARGUMENT",
    `${reason(environment, id, own)}${otherSite(id, named)}`,
  );
}

function reason(environment: string, site: string, own: readonly EnvironmentSpec[]): string {
  if (environment === "") {
    return `the edge assigns no tasks to site ${site}; set its task environment, such as taskEnvironment=form`;
  }
  const name = environment.slice(0, 64);
  const assigned = `the edge assigns tasks of ${name} to site ${site}`;
  if (own.length > 0) {
    const given = [...new Set(own.map((spec) => spec.name))].join(", ");
    return `--env is environment ${given}, but ${assigned}; pass that environment. If it was renamed while waggle dev ran, stop that and start it again`;
  }
  return `${assigned}, and ${name} is not built in; pass the file, folder or package that defines it, such as --env ./${name}.ts`;
}

/** Only an installation's credential opens more than one site, and it opens `default` unless one is named. */
function otherSite(site: string, named: string | undefined): string {
  if (named !== undefined || site !== DEFAULT_SITE) return "";
  return ". If you mean another site of this edge, pass its id, such as --site desk (waggle sites lists them)";
}
