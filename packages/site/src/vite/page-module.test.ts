import { expect, test } from "vitest";
import { fieldMistakes } from "../node/field-check.ts";
import type { LoadedSite } from "../node/load-site.ts";
import { pageModule } from "./page-module.ts";

function moduleOf(
  definition: Partial<LoadedSite["definition"]>,
  environment: { readonly [name: string]: string } = {},
): string {
  const site: LoadedSite = {
    folder: "/site",
    configFile: "/site/waggle.config.ts",
    definition: { id: "desk", name: "Desk", prompt: "You help.", ...definition },
    pageTools: [],
    edgeTools: [],
    start: null,
    environment: null,
    files: {
      tools: null,
      edgeTools: null,
      environment: null,
      retentionEnvironment: null,
      reward: null,
    },
  };
  return pageModule(site, environment);
}

test("a page gets the probability below which the visitor is asked, if the site has one", () => {
  expect(moduleOf({ confirmBelow: 0.7 })).toContain('"confirmBelow":0.7');
  expect(moduleOf({})).not.toContain("confirmBelow");
});

test("it is a number from 0 to 1", () => {
  const site = { id: "desk", name: "Desk", prompt: "You help." };
  expect(fieldMistakes({ ...site, confirmBelow: 0.7 })).toEqual([]);
  expect(fieldMistakes({ ...site, confirmBelow: 50 })).toEqual([
    { path: ["confirmBelow"], message: "confirmBelow is 50; write a number from 0 to 1" },
  ]);
});

test("a page gets the site's publisher, and an installation on this machine replaces its keys", () => {
  const publisher = { keys: ["A".repeat(43)], site: "desk" };
  const definition = { edge: { publisher } };
  expect(moduleOf(definition)).toContain(`"publisher":${JSON.stringify(publisher)}`);
  expect(moduleOf({})).not.toContain("publisher");
  const local = { WAGGLE_PUBLISHER_KEYS: "one,two" };
  expect(moduleOf({}, local)).toContain('"publisher":{"keys":["one","two"]}');
  expect(moduleOf(definition, { WAGGLE_PUBLISHER_KEYS: "" })).not.toContain("publisher");
});

test("a publisher's key is one that waggle publisher-key prints", () => {
  const site = { id: "desk", name: "Desk", prompt: "You help." };
  expect(fieldMistakes({ ...site, edge: { publisher: { keys: ["A".repeat(43)] } } })).toEqual([]);
  expect(fieldMistakes({ ...site, edge: { publisher: { keys: ["short"] } } })).toMatchObject([
    { path: ["edge", "publisher", "keys", 0] },
  ]);
  expect(fieldMistakes({ ...site, edge: { publisher: {} } })).toMatchObject([
    { path: ["edge", "publisher", "keys"] },
  ]);
});
