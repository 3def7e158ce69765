/** The transcripts that test/golden/environments/transcripts.json keeps. */
import { ENVIRONMENTS } from "./environments.ts";
import type { EnvironmentSpec } from "./environment-spec.ts";
import { transcriptDigests, transcriptOf } from "./transcript.fixture.ts";
import { ENVIRONMENT_VARIANTS, type EnvironmentVariant } from "./variants/environment-variants.ts";

/** Tasks of each level, split and policy. */
const SEEDS = 8;
const SEEDS_OF_VARIANTS = 2;

export type GoldenTranscripts = {
  /** By environment, or `<variant> <environment>`. */
  readonly digests: { readonly [name: string]: { readonly [key: string]: string } };
  /** One careless and one clumsy rollout of each environment, to read. */
  readonly shown: { readonly [name: string]: unknown };
};

const VARIANTS = Object.keys(ENVIRONMENT_VARIANTS) as EnvironmentVariant[];

/** Environments and variants by name, with the number of tasks of each kind. */
export function recordedEnvironments(): [name: string, spec: EnvironmentSpec, seeds: number][] {
  const small = ENVIRONMENTS.filter(({ name }) => name !== "shop");
  return [
    ...ENVIRONMENTS.map((spec): [string, EnvironmentSpec, number] => [spec.name, spec, SEEDS]),
    ...VARIANTS.flatMap((variant) =>
      small.map((spec): [string, EnvironmentSpec, number] => [
        `${variant} ${spec.name}`,
        ENVIRONMENT_VARIANTS[variant](spec),
        SEEDS_OF_VARIANTS,
      ]),
    ),
  ];
}

export async function goldenTranscripts(): Promise<GoldenTranscripts> {
  const digests: { [name: string]: { [key: string]: string } } = {};
  for (const [name, spec, seeds] of recordedEnvironments()) {
    digests[name] = await transcriptDigests(spec, seeds);
  }
  const shown: { [name: string]: unknown } = {};
  for (const spec of ENVIRONMENTS) {
    for (const policy of ["careless", "clumsy"]) {
      const reference = spec.reference(1, "train", spec.levels - 1);
      shown[`${spec.name} ${policy}`] = await transcriptOf(spec, reference, policy);
    }
  }
  return { digests, shown };
}
