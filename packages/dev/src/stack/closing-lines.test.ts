import { expect, test } from "vitest";
import { doors } from "../../../../test/fixtures/doors-site.ts";
import { closingLines } from "./closing-lines.ts";

const answering = { project: "/planner", environment: null, settings: {} };
const rated = { ...answering, settings: { feedbackFrom: ["thumb" as const] } };
const released = {
  ...rated,
  settings: { ...rated.settings, gateRelease: { metric: "thumb" } },
};

test("a site without a page is not told to open it", () => {
  expect(closingLines({ site: answering, pages: [], trainer: true })).toEqual([
    "no page: /planner has no index.html; Ctrl-C ends everything",
  ]);
});

test("a site with a page is told to open it, and why its model does not learn", () => {
  const pages = ["page"];
  const without = closingLines({ site: answering, pages, trainer: true });
  expect(without).toHaveLength(2);
  expect(without[0]).toMatch(/^no environment: .*add environment: /);
  expect(without[1]).toMatch(/^open the page/);
  const site = { project: "/doors", environment: doors, settings: {} };
  const [learning = ""] = closingLines({ site, pages, trainer: true });
  expect(learning).toMatch(/^open the page .* simulated visitors/);
  const [still = ""] = closingLines({ site, pages, trainer: false });
  expect(still).toMatch(/^open the page .*without a trainer the model does not learn/);
});

test("a site without an environment that learns from feedback is told who decides, or that nothing can", () => {
  const pages = ["page"];
  const [missing] = closingLines({ site: rated, pages, trainer: true });
  expect(missing).toMatch(
    /nothing could decide .* does not learn; .*set gate\.release or .*comparisons, or add/,
  );
  const [learning, open] = closingLines({ site: released, pages, trainer: true });
  expect(learning).toMatch(
    /^no environment: the trainer learns from feedback .* waits for visitors/,
  );
  expect(open).toMatch(/^open the page/);
  const compared = { ...rated, trainerArguments: ["--compare-requests", "128"] };
  const [judged] = closingLines({ site: compared, pages, trainer: true });
  expect(judged).toMatch(/^no environment: the trainer learns .* a judge compares a version/);
  const [still] = closingLines({ site: released, pages, trainer: false });
  expect(still).toMatch(/without a trainer the model does not learn/);
});
