/**
 * Checks every publishable package as npm would pack it, with publint: entries that exist, types
 * that resolve, formats that agree. Needs the libraries built (`tsc -b`).
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { ROOT } from "./stack.ts";

let problems = 0;
const manifests = globSync("packages/*/package.json", { cwd: ROOT }).sort();
for (const manifest of manifests) {
  const pkg = JSON.parse(readFileSync(join(ROOT, manifest), "utf8")) as {
    name: string;
    private?: boolean;
  };
  if (pkg.private) continue;
  const { messages } = await publint({
    pkgDir: join(ROOT, dirname(manifest)),
    pack: "npm",
    strict: true,
  });
  for (const message of messages) {
    console.error(`${pkg.name}: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
  }
  problems += messages.length;
}
console.log(`${manifests.length} packages, ${problems} problems`);
process.exitCode = problems === 0 ? 0 : 1;
