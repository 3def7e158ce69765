/** Variables of the edge Worker of a local installation. */
import type { Site } from "../site/site.ts";
import type { Installation } from "./installation.ts";

/**
 * For a site with an environment, `gate.release` is off here: practice does not count in a release, so the trainer would wait for
 * visitors who do not come.
 *
 * @param variables - override those of the site.
 */
export function edgeValues(
  installation: Installation,
  site: Site,
  variables: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return {
    // The second one is that of a built page. See `edge` of `SiteDefinition`.
    SITE_KEYS: [installation.siteKey, ...(site.settings.siteKeys ?? [`local-${site.name}`])].join(),
    SESSION_SECRET: installation.sessionSecret,
    TRAINER_CREDENTIAL: installation.trainerCredential,
    OPERATOR_CREDENTIAL: installation.operatorCredential,
    ALLOWED_ORIGINS: "*",
    PUBLISHER_KEYS: installation.publisher?.publicKey ?? "",
    TASK_ENVIRONMENT: site.environment?.name ?? "",
    ...site.edgeVariables,
    ...(site.environment === null ? {} : { GATE_RELEASE: "null" }),
    ...variables,
  };
}
