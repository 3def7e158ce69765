import { mulberry32, type Task, type TaskSplit } from "@waggle/protocol";
import { expect, test } from "vitest";
import { sampleSize } from "../../../../test/fixtures/long.ts";
import { CATALOGUE } from "./catalogue-data.ts";
import { NEW_PRODUCTS } from "./new-products.ts";
import { demonstrate, EXPERT } from "./shop-demonstrator.ts";
import { NEW_PRODUCTS_SHOP } from "./shop-spec.ts";
import { verifyShop } from "./shop-verifier.ts";

const tasksOf = (split: TaskSplit) =>
  Array.from({ length: 400 }, (_, seed) =>
    NEW_PRODUCTS_SHOP.task({ environment: NEW_PRODUCTS, seed, split }),
  );
const TRAIN = tasksOf("train");
const HELD_OUT = tasksOf("heldOut");

/** Every first word of the catalogue's names: Nordic, City, … */
const FIRST_WORDS = new RegExp(
  `\\b(${[...new Set(CATALOGUE.map(({ name }) => name.split(" ")[0]))].join("|")})\\b`,
  "i",
);

test("no slot value of a held-out request is one of training", () => {
  const known = new Set(TRAIN.flatMap(({ values = [] }) => values));
  expect(HELD_OUT.flatMap(({ values = [] }) => values).filter((one) => known.has(one))).toEqual([]);
  expect(HELD_OUT.every(({ values = [] }) => values.length > 0)).toBe(true);
  expect(new Set(HELD_OUT.map(({ request }) => request)).size).toBeGreaterThan(200);
});

test("a third of the held-out patterns and of the held-out tasks have a wording that training lacks", () => {
  const known = new Set(TRAIN.map(({ template }) => template));
  const patterns = [...new Set(HELD_OUT.map(({ template }) => template))];
  expect(patterns.filter((one) => !known.has(one)).length / patterns.length).toBeCloseTo(1 / 3, 2);
  const unseen = HELD_OUT.filter(({ template }) => !known.has(template)).length;
  expect(unseen / HELD_OUT.length).toBeCloseTo(1 / 3, 1);
});

test("training never reads a word of the catalogue's names; the expert passes in both shops", async () => {
  const played = sampleSize(100, TRAIN.length);
  const dialogueOf = async (task: Task) => {
    const { turns, ...shown } = await demonstrate(task, mulberry32(task.seed), EXPERT);
    expect(verifyShop(task, shown).success).toBe(true);
    return `${task.request} ${JSON.stringify(turns)}`;
  };
  for (const task of TRAIN.slice(0, played))
    expect(await dialogueOf(task)).not.toMatch(FIRST_WORDS);
  // The control: every held-out dialogue has such a word.
  for (const task of HELD_OUT.slice(0, played)) expect(await dialogueOf(task)).toMatch(FIRST_WORDS);
});
