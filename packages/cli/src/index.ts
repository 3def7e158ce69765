/** The program behind the `waggle` command, for tools that run its commands in their own process. */
export { createWaggle } from "./program.ts";
