import { expect, test } from "vitest";
import { doors } from "../../../../test/fixtures/doors-site.ts";
import type { Site } from "../site/site.ts";
import { edgeValues } from "./edge-values.ts";

const INSTALLATION = {
  folder: "/state",
  siteKey: "key",
  sessionSecret: "session",
  trainerCredential: "trainer",
  operatorCredential: "operator",
};
const SITE: Site = {
  name: "rooms",
  project: "/rooms",
  isWholeProject: true,
  environment: null,
  settings: {},
  trainerArguments: [],
  edgeVariables: {
    METRICS: '{"booked":{"type":"boolean","better":"higher"}}',
    GATE_RELEASE: '{"metric":"booked"}',
    GATE_MARGIN: "0.1",
  },
};

test("a local edge releases at once, also if a run replaces the metrics of the release", () => {
  const metrics = '{"solved":{"type":"boolean","better":"higher"}}';
  const site = { ...SITE, environment: doors };
  const values = edgeValues(INSTALLATION, site, { METRICS: metrics });
  expect(values).toMatchObject({ METRICS: metrics, GATE_RELEASE: "null", GATE_MARGIN: "0.1" });
});

test("without an environment, the visitors of a release decide on one machine too", () => {
  expect(edgeValues(INSTALLATION, SITE)).toMatchObject({
    TASK_ENVIRONMENT: "",
    GATE_RELEASE: '{"metric":"booked"}',
  });
});

test("a built page finds the local edge with the key of its config, or with the default key", () => {
  const keys = ["rooms-1"];
  const { SITE_KEYS: own } = edgeValues(INSTALLATION, { ...SITE, settings: { siteKeys: keys } });
  expect(own?.split(",")).toEqual([INSTALLATION.siteKey, "rooms-1"]);
  const { SITE_KEYS: usual } = edgeValues(INSTALLATION, SITE);
  expect(usual?.split(",")).toEqual([INSTALLATION.siteKey, "local-rooms"]);
});

test("variables of a run override those of the site and of a local edge", () => {
  const variables = { GATE_MARGIN: "1", GATE_RELEASE: '{"metric":"thumb"}' };
  expect(edgeValues(INSTALLATION, SITE, variables)).toMatchObject(variables);
});
