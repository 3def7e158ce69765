/** `npm run assets -- <folder>`: the files for pages without a bundler, see docs/how-to/add-to-a-page.md. */
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { buildAssets } from "./assets/build-assets.ts";

await createCommand("npm run assets --")
  .description("build the files for pages without a bundler, and list them with integrity hashes")
  .argument("<folder>", "gets the files and assets.json")
  .action(async (given: string) => {
    const folder = resolve(given);
    mkdirSync(folder, { recursive: true });
    const assets = await buildAssets(folder);
    for (const { path, sizeBytes, integrity } of assets) {
      console.log(`${String(sizeBytes).padStart(9)}  ${integrity}  ${path}`);
    }
    console.log(`${assets.length} files and assets.json are in ${folder}`);
  })
  .parseAsync();
