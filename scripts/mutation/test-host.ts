/**
 * Runs test files for `TestHost`, one at a time. It is a separate process because a mutant can loop forever, and then
 * only killing it helps.
 */
import { join } from "node:path";
import { ROOT } from "../root.ts";
import { isSource } from "./mutant-sample.ts";
import { readSites } from "./mutation-sites.ts";
import { PatchedTests, type ProjectName } from "./patched-tests.ts";
import type { HostRequest } from "./host-messages.ts";

/** Name of the global function that marks call. */
const REACH = "waggleReach";
const SETUP = join(ROOT, "scripts/mutation/reach-setup.ts");

/** Vitest instances by project. One that maps tests has an additional setup file. */
const opened = new Map<string, Promise<PatchedTests>>();
const changed = new Map<string, string>();

function testsOf(project: ProjectName, isMapping: boolean): Promise<PatchedTests> {
  const key = `${project} ${isMapping}`;
  let tests = opened.get(key);
  if (tests === undefined) {
    tests = PatchedTests.open(ROOT, project, isMapping ? [SETUP] : []);
    opened.set(key, tests);
  }
  return tests;
}

async function answer(request: HostRequest): Promise<void> {
  const { project, test } = request;
  const tests = await testsOf(project, request.kind === "map");
  if (request.kind === "map") {
    const { folders } = request;
    tests.patch(
      (file, source) => (isSource(file, folders) ? readSites(file, source).marked(REACH) : null),
      [],
    );
  } else {
    const { patch } = request;
    const before = changed.get(project);
    const files = [before, patch?.file].flatMap((file) => file ?? []);
    tests.patch((file) => (file === patch?.file ? patch.source : null), files);
    if (patch === null) changed.delete(project);
    else changed.set(project, patch.file);
  }
  const { failure, isTimeout, seconds, meta } = await tests.run(test);
  const reached = "reached" in meta ? (meta.reached as readonly string[]) : [];
  process.send?.({ failure, isTimeout, seconds, reached });
}

process.on("message", (request: HostRequest) => {
  answer(request).catch((error: unknown) => process.send?.({ error: String(error) }));
});
// The tests run in the same process group, so a test that loops ends with the command.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
