#!/usr/bin/env node
/**
 * The `waggle` command. It checks the Node version before it loads anything, because the libraries fail with a stack
 * trace on an older Node. For this reason it has no imports at the top.
 */
const OLDEST = 22;
const [major = 0] = process.versions.node.split(".").map(Number);

if (major < OLDEST) {
  process.stderr.write(
    `waggle needs Node ${OLDEST} or newer, but this is Node ${process.versions.node}; install a newer version from https://nodejs.org\n`,
  );
  process.exitCode = 1;
} else {
  const [command, ...args] = process.argv.slice(2);
  // Loading takes a second, and on a slow machine many. The line has the form of those that `dev` prints later.
  if (command === "dev" && !args.some((arg) => arg === "--help" || arg === "-h")) {
    process.stdout.write("waggle    loading the site …\n");
  }
  const [{ runProgram }, { createWaggle }] = await Promise.all([
    import("@waggle/trainer"),
    import("./program.ts"),
  ]);
  await runProgram(createWaggle);
}
