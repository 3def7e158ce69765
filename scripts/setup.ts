/** `npm run setup`: prepares everything that `npm start` and `npm test` need, without starting anything. */
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { ensureChromium } from "./ensure-chromium.ts";
import { buildPage } from "../packages/dev/src/pages/pages.ts";
import { stateFolder } from "../packages/dev/src/site/site.ts";
import { migrate } from "../packages/dev/src/stack/edge-process.ts";
import { openInstallation } from "../packages/dev/src/stack/installation.ts";
import { DASHBOARD, SHOP, SHOP_PAGE } from "./shop.ts";

createCommand("npm run setup --")
  .description("prepare storage, pages and Chromium for npm start and npm test")
  .parse();
const installation = openInstallation(stateFolder(SHOP, "local"));
console.log("storage …");
await migrate(installation, SHOP);
console.log("building demo and dashboard …");
await buildPage(SHOP_PAGE);
await buildPage(DASHBOARD);
console.log("finding Chromium for the tests and the loop …");
console.log(`  ${ensureChromium()}`);
console.log("ready: npm start, npm test");
