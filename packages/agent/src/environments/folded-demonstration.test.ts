/** A turn of a folded rollout sees only the request, the notes and the last result. */
import { environmentNamed } from "@waggle/environments";
import type { Trajectory } from "@waggle/protocol";
import { expect, test } from "vitest";
import { seededRandom } from "@waggle/protocol";
import { chatFormat as format } from "../rollout.fixture.ts";
import { foldedDemonstration } from "./folded-demonstration.ts";

const spec = environmentNamed("calculator");

type Turn = { readonly given: string; readonly said: string };

function textOf({ segments }: Trajectory): Turn {
  const words = (kind: string): string =>
    segments
      .filter((segment) => segment.kind === kind)
      .map(({ tokenIds }) => format.decodeAssistant(tokenIds))
      .join("");
  return { given: words("given"), said: words("sampled") };
}

async function shown(seed: number, consolidates: boolean): ReturnType<typeof foldedDemonstration> {
  return foldedDemonstration(
    spec,
    spec.reference(seed * 911, "train", 2),
    format,
    { seed, consolidates, random: seededRandom(seed), mistakes: 0, contextLength: 4096 },
    new AbortController().signal,
  );
}

test.each([true, false])(
  "notes replace earlier results and are consolidated: %s",
  async (consolidates) => {
    let summedUp = 0;
    let longest = 0;
    for (let seed = 0; seed < 30; seed += 1) {
      const { trajectories, verification } = await shown(seed, consolidates);
      expect(verification.success).toBe(true);
      const turns = trajectories.map(textOf);
      expect(turns[0]?.given).not.toContain("Known:");
      expect(turns[0]?.given).not.toContain("Last:");
      for (const { given } of turns.slice(1)) expect(given).toContain("Last:");
      const sums = turns.filter(({ said }) => /= calculate .*: /.test(said));
      summedUp += sums.length;
      const [last] = turns.slice(-1);
      longest = Math.max(longest, (last?.given.match(/calculate [^:]*: busy/g) ?? []).length);
    }
    // Half of the calls fail. Earlier failures become one note, or one note each.
    expect(summedUp > 0).toBe(consolidates);
    expect(longest > 1).toBe(!consolidates);
    expect(longest).toBeGreaterThan(0);
  },
);
