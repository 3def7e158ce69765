import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { createReporter } from "../metrics/reporter.ts";
import { readBaseModel } from "../model/base-model.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { playedGroups } from "../source/leased-groups.fixture.ts";
import { sessionOptions } from "./session-options.fixture.ts";
import { trainSites } from "./train-sites.ts";

const MODEL = join(import.meta.dirname, "../../../packages/model/nano");

// Under `npm test`, train-all-sites.test.ts trains several sites in one process, and fair-turns.test.ts has their turns.
test.runIf(isLong())(
  "one process trains two sites in turns, each from its own groups, and goes on when a third fails",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "waggle-sites-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const model = await readBaseModel(MODEL);
    const recipe = edgeRecipeNamed("dr-grpo-tis", { groupsPerStep: 1 });
    const groups = await playedGroups(model, recipe, 6);
    const { sha256 } = model.reference;
    const edges = {
      busy: new FakeEdge(groups.slice(0, 4), sha256),
      small: new FakeEdge(groups.slice(4), sha256),
      closed: new FakeEdge([], sha256),
    };
    const events: { event: string; site: string; [name: string]: unknown }[] = [];
    const sites = Object.entries(edges).map(([site, edge]) => ({
      edge:
        site === "closed"
          ? { ...edge.client(), setBaseModel: () => Promise.reject(new Error("disabled")) }
          : edge.client(),
      options: sessionOptions(join(folder, site), {
        tasks: { start: 1_000_000, count: 4, seed: 1 },
        publishEvery: 100,
      }),
      report: createReporter((line) => void events.push(JSON.parse(line)), true, site),
    }));
    await expect(trainSites(model, recipe, sites, new AbortController().signal)).rejects.toThrow(
      "disabled",
    );

    expect(events.filter(({ event }) => event === "failure")).toMatchObject([{ site: "closed" }]);
    for (const [name, count] of [
      ["busy", 4],
      ["small", 2],
    ] as const) {
      const outcomes = [...edges[name].acknowledged.values()];
      expect(outcomes.every((all) => all.length === 1)).toBe(true);
      const members = groups[0]?.trajectories.length ?? 0;
      expect(outcomes).toHaveLength(count * members);
      expect(events.filter(({ event, site }) => event === "stopped" && site === name)).toHaveLength(
        1,
      );
    }
    // The small site's last group is judged before those of the busy one, although it began last.
    const judged = events.filter(({ event }) => event === "judged").map(({ site }) => site);
    expect(judged.lastIndexOf("small")).toBeLessThan(judged.lastIndexOf("busy"));
    const state = new Set(edges.small.acknowledged.keys());
    expect([...edges.busy.acknowledged.keys()].filter((digest) => state.has(digest))).toEqual([]);
  },
);
