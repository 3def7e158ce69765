/** `npm run setup`: prepares everything that `npm start` and `npm test` need, without starting anything. */
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { ensureChromium } from "./ensure-chromium.ts";
import { buildPage, dashboardPage, sitePage } from "../packages/dev/src/pages/pages.ts";
import { stateFolder } from "../packages/dev/src/site/site.ts";
import { migrate } from "../packages/dev/src/stack/migrations.ts";
import { openInstallation } from "../packages/dev/src/stack/installation.ts";
import { demoSite } from "./demo.ts";
import { ROOT } from "./root.ts";

createCommand("npm run setup --")
  .description("prepare storage, pages and Chromium for npm start and npm test")
  .parse();
const site = await demoSite();
const installation = openInstallation(stateFolder(site, "local"), true);
console.log("preparing storage, and building demo and dashboard …");
await Promise.all([
  migrate(installation, site),
  buildPage(sitePage(site)),
  buildPage(dashboardPage(ROOT)),
]);
console.log("finding Chromium for the tests and the loop …");
console.log(`  ${ensureChromium()}`);
console.log("ready: npm start, npm test");
