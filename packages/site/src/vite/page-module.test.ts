import { expect, test } from "vitest";
import { fieldMistakes } from "../node/field-check.ts";
import type { LoadedSite } from "../node/load-site.ts";
import { pageModule } from "./page-module.ts";

function moduleOf(definition: Partial<LoadedSite["definition"]>): string {
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
  return pageModule(site, {});
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
