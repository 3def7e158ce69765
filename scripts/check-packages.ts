/**
 * Packs every public package and checks the tarball as users get it: no extra files, entries that exist
 * (publint), types that resolve (Are The Types Wrong). Needs built packages (`npm run build`). Keeps the tarballs in the
 * folder of `WAGGLE_PACKED`, if that is set.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keepPackages } from "./packages/kept-packages.ts";
import { packageProblems } from "./packages/package-problems.ts";

const shared = process.env["WAGGLE_PACKED"];
const folder = shared ?? mkdtempSync(join(tmpdir(), "waggle-packages-"));
try {
  let problems = 0;
  const packages = keepPackages(folder);
  for (const packed of packages) {
    for (const problem of await packageProblems(packed)) {
      console.error(`${packed.manifest.name}: ${problem}`);
      problems += 1;
    }
  }
  console.log(`${packages.length} packages, ${problems} problems`);
  process.exitCode = problems === 0 ? 0 : 1;
} finally {
  if (shared === undefined) rmSync(folder, { recursive: true, force: true });
}
