/**
 * The table of the literature marks with `*` the parts that a paper's abstract does not state and that we inferred.
 * Every recipe must have a setting for each of its inferred parts, so that another reading can be tried.
 */
import { expect, test } from "vitest";
import { type CreateRecipe, partsOf, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts.ts";
import { RECIPES } from "./catalogue.ts";
import { governing } from "./inferred-parts.fixture.ts";
import { inferredParts, LITERATURE, type PlainPart, type SlotName } from "./literature.ts";

/** The settings that must control each inferred part, by slot and part. */
const REQUIRED: { readonly [part: string]: readonly string[] } = {
  "rollout:group": ["groupSize"],
  "rollout:single": ["attempts"],
  "rollout:demos": ["mistakes"],
  "rollout:tree": ["attempts", "width", "exploration"],
  "rollout:pivot": ["size"],
  "rollout:prefix-replay": ["size"],
  "rollout:branch-vine": ["size", "whole"],
  "rollout:user-sim": ["groupSize"],
  "filter:success": ["threshold"],
  "filter:pair-gap": ["margin"],
  "filter:verify": ["checks"],
  "filter:mixed-group": ["tolerance"],
  "filter:clean": ["sameFrom"],
  "filter:step-mask": ["keptTurns"],
  "filter:student-fail": ["threshold"],
  "filter:diversity-mix": ["kept"],
  "filter:curated": ["budget"],
  "filter:answerable": ["answered"],
  "reward:outcome": ["outcome"],
  "reward:economy": ["economyWeight"],
  "reward:progress": ["payment"],
  "reward:frontier": ["curve"],
  "reward:gate": ["gateFrom"],
  "reward:tiers": ["readWeight", "ranWeight", "solvedWeight"],
  "reward:judge": ["judgeWeight", "votes"],
  "reward:team": ["team"],
  "reward:process": ["spread"],
  "reward:length": ["limit", "buffer", "lengthWeight"],
  "reward:format": ["formatWeight"],
  "reward:exec": ["ranWeight"],
  "reward:preference": ["preferenceWeight"],
  "advantage:group": ["scale"],
  "advantage:per-agent": ["scale"],
  "advantage:gae": ["lambda", "discount"],
  "advantage:rae": ["decay"],
  "advantage:reinforce++": ["discount"],
  "advantage:mc": ["attempts", "width", "exploration"],
  "advantage:td": ["rate", "valueRate"],
  "advantage:weighted": ["temperature"],
  "advantage:semantic": ["size"],
  "loss:pg-clip": ["epsilon"],
  "loss:clip-high": ["lower", "upper"],
  "loss:ce": ["lossTurns"],
  "loss:ce-mask": ["lossTurns"],
  "loss:span-mask": ["spanTurns"],
  "loss:dpo": ["beta"],
  "loss:tb": ["beta"],
  "loss:contrast": ["weight", "contrastTemperature"],
  "loss:rank": ["rankMargin"],
  "loss:kl": ["klCoefficient"],
  "state:critic": ["lambda", "discount"],
  "state:ref": ["beta"],
  "state:judge": ["votes"],
  "state:teacher": ["mistakes"],
  "state:role-adapters": ["learners"],
  "state:task-stats": ["retention"],
  "schedule:sft-rl": ["startSteps", "steps"],
  "schedule:cpt-sft-rl": ["textSteps", "startSteps", "steps"],
  "schedule:offline-online": ["startSteps", "steps", "onlineSteps"],
};

/** Exceptions for single recipes. */
const EXCEPTIONS: typeof REQUIRED = {
  // A group has a fixed number of rollouts per mode (a2fm) or per proposed task (spice).
  "a2fm rollout:group": ["perMode"],
  "spice rollout:group": ["attempts"],
  // Number of continuations of a stored step.
  "ipr advantage:mc": ["continuations"],
  "gen-agent rollout:prefix-replay": ["groupSize"],
  "dia-forge rollout:user-sim": ["mistakes"],
  "agent-r filter:verify": ["threshold", "whole"],
  // The weight of cross-entropy in a sum with a preference loss.
  "toa loss:ce": ["imitation"],
  // Group advantages read only the total reward, so the time of payment is no setting.
  "embodied-r1 reward:progress": ["countedTurns"],
  "se-gui reward:progress": ["progressWeight"],
  "cory state:ref": ["klCoefficient"],
};

type Wanted = PlainPart & { readonly recipe: string };

/** Inferred parts: those marked with `*`, and those in slots that the abstract does not mention. */
function openParts(name: string): Wanted[] {
  const recipe = (RECIPES.get(name) as CreateRecipe)();
  const { unstated = [] } = recipe.literature;
  const chosen = unstated.flatMap((slot) =>
    (partsOf(recipe)[slot] ?? []).map((part) => ({ slot, part })),
  );
  return [...inferredParts(recipe.literature), ...chosen].map((one) => ({ ...one, recipe: name }));
}

const ALL = [...RECIPES.keys()].flatMap(openParts);

test("every row has its recipe, and every mark of the table is counted", () => {
  const rows = new Set([...RECIPES.values()].map((create) => create().literature));
  expect(LITERATURE.filter((row) => !rows.has(row))).toEqual([]);
  const marks = LITERATURE.flatMap(inferredParts);
  const count = (slot: SlotName, part: string): number =>
    marks.filter((one) => one.slot === slot && one.part === part).length;
  expect(marks).toHaveLength(428);
  expect([
    count("loss", "pg-clip"),
    count("advantage", "group"),
    count("rollout", "group"),
    count("reward", "outcome"),
    count("filter", "success"),
  ]).toEqual([113, 78, 68, 36, 14]);
  expect(ALL).toHaveLength(443);
});

test.each([...RECIPES.keys()])("%s has a setting for each inferred part", (name) => {
  const create = RECIPES.get(name) as CreateRecipe;
  const lacking = openParts(name).flatMap(({ slot, part }) => {
    const uses = governing(create, { slot, part });
    const names = uses.flat().map((setting) => setting.split(".").at(-1));
    const wanted = EXCEPTIONS[`${name} ${slot}:${part}`] ?? REQUIRED[`${slot}:${part}`] ?? [part];
    const isGoverned = uses.length > 0 && uses.every((settings) => settings.length > 0);
    const unnamed = wanted.filter((setting) => !names.includes(setting));
    return isGoverned && unnamed.length === 0 ? [] : [{ slot, part, uses, unnamed }];
  });
  expect(lacking).toEqual([]);
});

const ROW = {
  recipe: "made up",
  paper: "none",
  system: null,
  table: "policy-gradient",
  difference: "none",
} as const;

test("a part without a setting and a setting without an effect are detected", () => {
  const create = recipe({
    name: "made-up",
    literature: {
      ...ROW,
      parts: { rollout: ["group*"], advantage: ["loo*"], loss: ["pg-clip*"], schedule: ["one"] },
    },
    differs: [],
    schedule: ["one"],
    settings: { groupSize: 8, epsilon: 0.2 },
    stages: ({ groupSize }) => [
      rewardStage({
        rollout: parts.group(groupSize),
        reward: parts.outcome(),
        advantage: parts.leaveOneOut(),
        losses: [parts.pgClip(0.2)],
      }),
    ],
  });
  const found = inferredParts(create().literature).map((part) => governing(create, part));
  expect(found).toEqual([[["groupSize"]], [[]], [[]]]);
});
