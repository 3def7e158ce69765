#!/usr/bin/env node
/**
 * The `waggle` command. Checks the Node version before it loads anything, because an older Node fails on the
 * libraries with a stack trace. Imports nothing at the top for that reason.
 */
const OLDEST = 22;
const [major = 0] = process.versions.node.split(".").map(Number);

if (major < OLDEST) {
  process.stderr.write(
    `waggle needs Node ${OLDEST} or newer, and this is Node ${process.versions.node}; install a newer one from https://nodejs.org\n`,
  );
  process.exitCode = 1;
} else {
  const { runProcess } = await import("./run-process.ts");
  await runProcess();
}
