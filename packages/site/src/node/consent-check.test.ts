/** A site that learns from visitors must say so in its own consent text. */
import { expect, onTestFinished, test } from "vitest";
import { skipOutside } from "../../../../test/fixtures/long.ts";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { visitorModule } from "../vite/visitor-module.ts";
import { loadSite } from "./load-site.ts";
import { siteSettings } from "./part-settings.ts";

const CONFIG = PLANNER_FILES["waggle.config.ts"] as string;
const LEARNING = CONFIG.replace("publishEvery: 2", "publishEvery: 2, feedbackWaitSeconds: 60");

function site(config: string): string {
  const { folder, remove } = plannerSite({ "waggle.config.ts": config });
  onTestFinished(remove);
  return folder;
}

test("with a text of its own it is loaded", async () => {
  const { definition } = await loadSite(site(LEARNING));
  expect(definition.training?.feedbackWaitSeconds).toBe(60);
});

test.each([
  ["without a text", LEARNING.replace(/ {4}text: .*\n/, ""), "waggle.config.ts:13:"],
  [
    "without consent",
    LEARNING.replace(/ {2}consent: \{[^]*?\n {2}\},\n/, ""),
    "waggle.config.ts:13:",
  ],
])("%s it is refused with file and line", async (_, config, place) => {
  const message = await loadSite(site(config)).then(
    () => "it was loaded",
    (error: unknown) => String(error),
  );
  expect(message).toContain(place);
  expect(message).toContain("write consent.text");
});

test("a wait of 0 seconds is refused, because a thumb comes after its request", async () => {
  await expect(loadSite(site(LEARNING.replace("Seconds: 60", "Seconds: 0")))).rejects.toThrow(
    "training.feedbackWaitSeconds is 0; write a whole number from 1",
  );
});

const withConsent = (option: string, config = CONFIG): string =>
  config.replace(/ {2}consent: \{\n/, `  consent: {\n    ${option},\n`);

test.for([
  'collect: "statistics"',
  "choices: true",
  "shareCorrections: true",
  "shareMessages: true",
])("%s needs a text of the site's own", async (option, context) => {
  skipOutside(/^(collect|shareMessages)/.test(option), context);
  const config = withConsent(option);
  expect(config).toContain(option);
  await expect(loadSite(site(config))).resolves.toBeDefined();
  const silent = config.replace(/ {4}text: .*\n/, "");
  await expect(loadSite(site(silent))).rejects.toThrow(
    `does not fit consent.${option.split(":")[0]}; write consent.text`,
  );
});

test("a site cannot keep statistics only and learn from visitors' requests", async () => {
  const config = withConsent('collect: "statistics"', LEARNING);
  await expect(loadSite(site(config))).rejects.toThrow("nothing is kept to learn from");
});

test.for(["shareCorrections", "shareMessages"])(
  "%s needs a site that keeps texts of visitors",
  async (name, context) => {
    skipOutside(name === "shareMessages", context);
    // The recipe of the config needs trajectories.
    const practicing = CONFIG.replace(/ {2}training: .*\n/, "");
    for (const level of ["statistics", "rewards"]) {
      const config = withConsent(`collect: "${level}",\n    ${name}: true`, practicing);
      await expect(loadSite(site(config))).rejects.toThrow(
        `consent.${name} sends texts of visitors, and with consent.collect "${level}" none are kept`,
      );
      await expect(
        loadSite(site(config.replace(`${name}: true`, `${name}: false`))),
      ).resolves.toBeDefined();
    }
  },
);

test.each([
  "expiresAfterDays: 0",
  'choices: "yes"',
  'collect: "tokens"',
  'shareCorrections: "yes"',
  "shareMessages: 1",
])("%s is refused", async (option) => {
  await expect(loadSite(site(withConsent(option)))).rejects.toThrow(
    `consent.${option.split(":")[0]}`,
  );
});

test("the edge gets the days and the level, and the page gets the choices too", async () => {
  const loaded = await loadSite(
    site(withConsent('expiresAfterDays: 90, collect: "statistics", choices: true')),
  );
  expect(siteSettings(loaded)).toMatchObject({ consentDays: 90, collect: "statistics" });
  expect(visitorModule(loaded.definition)).toContain(
    '"expiresAfterDays":90,"collect":"statistics","choices":true',
  );
});
