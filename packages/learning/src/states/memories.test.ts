import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import { caseMemory, creditCase, forgetCases, writeCase } from "./case-memory.ts";
import {
  addPrompt,
  choosePrompt,
  creditPrompt,
  drawPrompt,
  promptPopulation,
  promptReward,
  prunePrompts,
} from "./prompt-population.ts";
import { backUp, expandNode, nodeValue, requireNode, searchTree } from "./search-tree.ts";

test("sampling converges to the better prompt after trying every prompt", () => {
  const random = mulberry32(3);
  let population = promptPopulation(["short", "long", "wrong"]);
  const pays = { short: 0.8, long: 0.4, wrong: 0.1 };
  for (let i = 0; i < 300; i += 1) {
    const { id, text } = choosePrompt(population, 0.3);
    const reward = random() < pays[text as keyof typeof pays] ? 1 : 0;
    population = creditPrompt(population, id, [reward]);
  }
  const uses = population.living.map((prompt) => prompt.uses);
  expect(uses[0]).toBeGreaterThan(200);
  expect(Math.min(...uses)).toBeGreaterThan(0);
});

test("prompts are drawn by softmax of mean rewards; an unused one counts as the best", () => {
  let population = promptPopulation(["good", "bad", "new"]);
  population = creditPrompt(population, "p0", [1, 1]);
  population = creditPrompt(population, "p1", [0.5]);
  const random = mulberry32(8);
  const drawn = Array.from({ length: 4000 }, () => drawPrompt(population, random, 0.5).text);
  const share = (text: string) => drawn.filter((other) => other === text).length / drawn.length;
  const sum = 2 + Math.exp(-1);
  expect(Math.abs(share("good") - 1 / sum)).toBeLessThan(0.03);
  expect(Math.abs(share("new") - 1 / sum)).toBeLessThan(0.03);
  expect(Math.abs(share("bad") - Math.exp(-1) / sum)).toBeLessThan(0.03);
});

test("weak and failed prompts are archived, the best one stays, and ids are never reused", () => {
  let population = promptPopulation(["a", "b"]);
  population = creditPrompt(population, "p0", [1, 1]);
  population = creditPrompt(population, "p1", [0, 0]);
  const best = Math.max(...population.living.map(promptReward));
  population = addPrompt(population, "a2", "p0", true);
  population = addPrompt(population, "crash", "p0", false);
  population = prunePrompts(population, 1, 2);
  expect(population.living.map(({ id }) => id)).toEqual(["p0", "p2"]);
  expect(population.archive.map(({ id, reason }) => [id, reason])).toEqual([
    ["p3", "failed-check"],
    ["p1", "pruned"],
  ]);
  expect(Math.max(...population.living.map(promptReward))).toBe(best);
  population = addPrompt(population, "a3", "p2", true);
  expect(population.living.at(-1)).toMatchObject({ id: "p4", parent: "p2", uses: 0 });
  expect(choosePrompt(population).id).toBe("p2");
});

test("an archived prompt is refused", () => {
  expect(() => creditPrompt(promptPopulation(["a"]), "p9", [1])).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
  expect(() => choosePrompt(promptPopulation([]))).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("a case's value moves by its temporal difference, and the least valuable case is dropped", () => {
  const memory = writeCase(caseMemory(), { situation: "s", action: "a", reward: 0.5 });
  const credited = creditCase(memory, "k0", 0, { rate: 0.5, discount: 0.9, nextValue: 1 });
  expect(credited.cases[0]).toMatchObject({ value: 0.7, reads: 1 });
  const two = writeCase(credited, { situation: "t", action: "b", reward: 0.5 });
  expect(forgetCases(two, 1).cases.map(({ action }) => action)).toEqual(["a"]);
  expect(JSON.parse(JSON.stringify(two))).toEqual(two);
});

test("values are backed up along the path, and a tree survives JSON", () => {
  const child = (action: string) => ({ action, prior: 0.5, isTerminal: false });
  let tree = expandNode(searchTree(), "n0", [child("a"), child("b")]);
  tree = expandNode(tree, "n1", [child("c")]);
  tree = backUp(backUp(tree, "n3", 1), "n2", 0);
  const values = ["n0", "n1", "n2", "n3"].map((id) => nodeValue(requireNode(tree, id)));
  expectClose(values, [0.5, 1, 0, 1]);
  expect(requireNode(tree, "n0").visits).toBe(2);
  expect(JSON.parse(JSON.stringify(tree))).toEqual(tree);
  expect(() => requireNode(tree, "n9")).toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
});
