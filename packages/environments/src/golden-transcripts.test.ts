/**
 * A reference names a task for ever: stored trajectories are replayed and judged again, and evidence names tasks by
 * their seeds. So what environments say and judge for a seed must not change by accident. Where it is meant to change,
 * run test/golden/environments/write.ts and read the differences of the rollouts that it shows.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { skipOutside } from "../../../test/fixtures/long.ts";
import { ENVIRONMENTS } from "./environments.ts";
import { type GoldenTranscripts, recordedEnvironments } from "./golden-transcripts.fixture.ts";
import { transcriptDigests, transcriptOf } from "./transcript.fixture.ts";

const PATH = join(import.meta.dirname, "../../../test/golden/environments/transcripts.json");
const { digests, shown } = JSON.parse(readFileSync(PATH, "utf8")) as GoldenTranscripts;

test("every environment and variant is recorded", () => {
  expect(Object.keys(digests)).toEqual(recordedEnvironments().map(([name]) => name));
});

test.each(ENVIRONMENTS.map((spec) => [spec.name, spec] as const))(
  "%s: the rollouts to read are as recorded",
  async (name, spec) => {
    const reference = spec.reference(1, "train", spec.levels - 1);
    for (const policy of ["careless", "clumsy"]) {
      expect(await transcriptOf(spec, reference, policy)).toEqual(shown[`${name} ${policy}`]);
    }
  },
);

/** Every environment, and under `npm test` every third of its variants. */
const RECORDED = recordedEnvironments().map(
  ([name, spec, seeds], i) => [name, spec, seeds, !name.includes(" ") || i % 3 === 0] as const,
);

test.for(RECORDED)(
  "%s: tasks, observations and verdicts are as recorded",
  async ([name, spec, seeds, isSampled], context) => {
    skipOutside(isSampled, context);
    expect(await transcriptDigests(spec, seeds)).toEqual(digests[name]);
  },
);
