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
  return [
    ...ENVIRONMENTS.map((spec): [string, EnvironmentSpec, number] => [spec.name, spec, SEEDS]),
    ...VARIANTS.flatMap((variant) =>
      ENVIRONMENTS.map((spec): [string, EnvironmentSpec, number] => [
        `${variant} ${spec.name}`,
        ENVIRONMENT_VARIANTS[variant](spec),
        SEEDS_OF_VARIANTS,
      ]),
    ),
  ];
}

/** The transcripts of one environment outside this package. */
export async function transcriptsOf(spec: EnvironmentSpec): Promise<{
  readonly digests: { readonly [key: string]: string };
  readonly shown: { readonly [policy: string]: unknown };
}> {
  return { digests: await transcriptDigests(spec, SEEDS), shown: await shownTranscripts(spec) };
}

/** A careless and a clumsy rollout. */
async function shownTranscripts(spec: EnvironmentSpec): Promise<{ [policy: string]: unknown }> {
  const reference = spec.reference(1, "train", spec.levels - 1);
  return {
    careless: await transcriptOf(spec, reference, "careless"),
    clumsy: await transcriptOf(spec, reference, "clumsy"),
  };
}

export async function goldenTranscripts(): Promise<GoldenTranscripts> {
  const digests: { [name: string]: { [key: string]: string } } = {};
  for (const [name, spec, seeds] of recordedEnvironments()) {
    digests[name] = await transcriptDigests(spec, seeds);
  }
  const shown: { [name: string]: unknown } = {};
  for (const spec of ENVIRONMENTS) {
    for (const [policy, transcript] of Object.entries(await shownTranscripts(spec))) {
      shown[`${spec.name} ${policy}`] = transcript;
    }
  }
  return { digests, shown };
}
