/**
 * A reference names a task for ever: stored trajectories are replayed and judged again, and evidence names tasks by
 * their seeds. So what environments say and judge for a seed must not change by accident. Where it is meant to change,
 * run test/golden/environments/write.ts and read the differences of the rollouts that it shows.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
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

test.each(recordedEnvironments())(
  "%s: tasks, observations and verdicts are as recorded",
  async (name, spec, seeds) => {
    expect(await transcriptDigests(spec, seeds)).toEqual(digests[name]);
  },
);
