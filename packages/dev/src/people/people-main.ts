/**
 * The simulated people of a live run as a process: they open pages in Chromium and talk to these and to the site's backend, and to
 * nothing else. The process that started them gets counts for its report, and no wish, verdict or seed.
 * `people-main '<PeopleOptions as JSON>'`
 */
import { environmentFrom } from "@waggle/trainer";
import { chromium } from "playwright-core";
import { CHROMIUM_FLAGS, chromiumPath } from "../loop/chromium.ts";
import { backendClient } from "./backend-client.ts";
import { Desk } from "./desk.ts";
import type { Asked, PeopleOptions } from "./people-options.ts";
import { VisitorPage } from "./visitor-page.ts";

/** Desks of one run have people with different seeds. */
const MOST_DESKS = 64;

const options = JSON.parse(process.argv[2] ?? "") as PeopleOptions;
const { page, backend, pages, device, people } = options;
const spec = await environmentFrom(options.environment, options.project);
const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: CHROMIUM_FLAGS,
});
const desks = Array.from({ length: pages }, (_, index) => {
  const visit = `desk-${index}`;
  const search = new URLSearchParams({ backend, visit, device });
  return new Desk({
    people: { ...people, seed: people.seed * MOST_DESKS + index },
    backend: backendClient(backend, visit),
    spec,
    open: () => VisitorPage.open(browser, `${page}?${search}`),
  });
});
const all = Promise.all(desks.map((desk) => desk.run()));

const answers: { readonly [what in Asked["what"]]: () => Promise<unknown> } = {
  statuses: async () =>
    (await Promise.all(desks.map((desk) => desk.status()))).filter((status) => status !== null),
  reactions: () =>
    Promise.resolve(
      desks.flatMap(({ reactions }) =>
        reactions.map(({ trajectoryId, at }) => ({ trajectoryId, at })),
      ),
    ),
  stop: async () => {
    for (const desk of desks) desk.stop();
    await all;
  },
  refresh: async () => void (await Promise.all(desks.map((desk) => desk.refresh()))),
  close: () => browser.close(),
};

process.on("message", ({ id, what }: Asked) => {
  answers[what]().then(
    (value) => process.send?.({ id, value }),
    (error: unknown) => process.send?.({ id, error: String(error) }),
  );
});
process.on("disconnect", () => void browser.close().finally(() => process.exit(0)));
