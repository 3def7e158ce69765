/** `npm run setup`: prepares everything that `npm start` and `npm test` need, without starting anything. */
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { ensureChromium } from "./ensure-chromium.ts";
import { buildPage } from "./pages.ts";
import { migrate, stateFolder } from "./services.ts";
import { openInstallation } from "./stack.ts";

createCommand("npm run setup --")
  .description("prepare storage, pages and Chromium for npm start and npm test")
  .parse();
const installation = openInstallation(stateFolder());
console.log("storage …");
await migrate(installation);
console.log("building demo and dashboard …");
await buildPage("demo");
await buildPage("dashboard");
console.log("finding Chromium for the tests and the loop …");
console.log(`  ${ensureChromium()}`);
console.log("ready: npm start, npm test");
