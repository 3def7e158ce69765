/** A search over a small known tree: counts, values and choices are those of a slow plain twin. */
import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { nodeValue, requireNode } from "../states/search-tree.ts";
import { searchedTree, whereToGoOn } from "./tree-search.ts";
import type { SearchedRollout } from "../states/searched-rollout.ts";
import type { TreeRule } from "./tree-selection.ts";

/** Three letters of a or b each; what a word is worth. */
const WORTH = new Map([
  ["aaa", 0],
  ["aab", 0.2],
  ["aba", 0],
  ["abb", 0.1],
  ["baa", 0.3],
  ["bab", 1],
  ["bba", 0],
  ["bbb", 0.2],
]);
const CHANCE_OF_A = 0.7;

/** A rollout that begins with these letters and goes on by the policy. */
function rollout(id: string, beginning: string, random: () => number): SearchedRollout {
  let word = beginning;
  while (word.length < 3) word += random() < CHANCE_OF_A ? "a" : "b";
  const actions = word.split("");
  const priors = actions.map((letter) => (letter === "a" ? CHANCE_OF_A : 1 - CHANCE_OF_A));
  return { id, actions, given: beginning.length, priors, value: WORTH.get(word) as number };
}

type Said = { readonly word: string; readonly given: number };

/** Brute force over words: a beginning is known by all words that start with it. */
function slowChoice(said: readonly Said[], rule: TreeRule, width: number): string {
  const words = said.map(({ word }) => word);
  const mean = (some: readonly string[]): number =>
    some.reduce((sum, word) => sum + (WORTH.get(word) ?? 0), 0) / some.length;
  const through = (beginning: string): string[] => words.filter((w) => w.startsWith(beginning));
  const decided = (at: string): string[] =>
    said.filter(({ word, given }) => word.startsWith(at) && given <= at.length).map((s) => s.word);
  const children = (at: string): string[] =>
    at.length === 3 ? [] : [...new Set(through(at).map((word) => word.slice(0, at.length + 1)))];
  let at = "";
  for (;;) {
    const parent = at;
    const N = through(parent).length;
    const score = (some: readonly string[], chance: number): number =>
      rule.kind === "uct"
        ? mean(some) + rule.exploration * Math.sqrt(Math.log(N) / some.length)
        : mean(some) + (rule.exploration * chance * Math.sqrt(N)) / (1 + some.length);
    const arm = (child: string): number =>
      score(through(child), child.endsWith("a") ? CHANCE_OF_A : 1 - CHANCE_OF_A);
    const open = children(parent).filter((child) => child.length < 3);
    if (decided(parent).length < width || open.length === 0) return parent;
    const best = open.reduce((a, b) => (arm(b) > arm(a) ? b : a));
    if (score(decided(parent), 1) > arm(best)) return parent;
    at = best;
  }
}

const RULES: readonly TreeRule[] = [
  { kind: "uct", exploration: 0.7 },
  { kind: "puct", exploration: 1.2 },
];

test.each(RULES)("$kind selects and counts like the plain twin", (rule) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = mulberry32(seed);
    const rollouts: SearchedRollout[] = [];
    for (let i = 0; i < 12; i += 1) {
      const said = rollouts.map(({ actions, given }) => ({ word: actions.join(""), given }));
      const place = whereToGoOn(rollouts, rule, 2);
      const from = rollouts.find(({ id }) => id === place?.rollout);
      const beginning = from?.actions.slice(0, place?.turns).join("") ?? "";
      expect(beginning).toBe(slowChoice(said, rule, 2));
      rollouts.push(rollout(`${i}`, beginning, random));
    }
    const { tree, paths } = searchedTree(rollouts);
    for (const { id, actions } of rollouts) {
      for (const [turn, nodeId] of (paths.get(id) ?? []).entries()) {
        const beginning = actions.slice(0, turn + 1).join("");
        const same = rollouts.filter((other) => other.actions.join("").startsWith(beginning));
        const node = requireNode(tree, nodeId);
        expect(node.visits).toBe(same.length);
        const mean = same.reduce((sum, { value }) => sum + value, 0) / same.length;
        expect(nodeValue(node)).toBeCloseTo(mean, 12);
        expect(node.isTerminal).toBe(beginning.length === 3);
      }
    }
  }
});

test("a search gets further than the same number of rollouts from the start", () => {
  const goal = "bbabba".split("");
  const rightLetters = (word: readonly string[]): number => {
    const wrong = word.findIndex((letter, i) => letter !== goal[i]);
    return (wrong < 0 ? goal.length : wrong) / goal.length;
  };
  const bestOf = (isSearch: boolean, random: () => number): number => {
    const rollouts: SearchedRollout[] = [];
    for (let i = 0; i < 24; i += 1) {
      const place = isSearch ? whereToGoOn(rollouts, { kind: "uct", exploration: 0.2 }, 2) : null;
      const given = place?.turns ?? 0;
      const actions =
        rollouts.find(({ id }) => id === place?.rollout)?.actions.slice(0, given) ?? [];
      while (actions.length < goal.length) actions.push(random() < CHANCE_OF_A ? "a" : "b");
      const priors = actions.map((letter) => (letter === "a" ? CHANCE_OF_A : 1 - CHANCE_OF_A));
      rollouts.push({ id: `${i}`, given, actions, priors, value: rightLetters(actions) });
    }
    return Math.max(...rollouts.map(({ value }) => value));
  };
  const random = mulberry32(5);
  let [searched, plain] = [0, 0];
  for (let trial = 0; trial < 100; trial += 1) {
    searched += bestOf(true, random) / 100;
    plain += bestOf(false, random) / 100;
  }
  expect(searched).toBeGreaterThan(plain + 0.3);
});

test("an untried task starts at the beginning", () => {
  expect(whereToGoOn([], RULES[0] as TreeRule, 2)).toBeNull();
});
