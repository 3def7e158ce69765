/** Environments that are written outside this repository: definition, loading, checks. */
import type { Requirement } from "./requirement.ts";

const DEFINE = "packages/agent/src/environments/define";

export const ENVIRONMENT_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "own-environment:definition",
    source: "docs/how-to/your-own-environment.md",
    behavior:
      "defineEnvironment makes an environment of tasks, tools and a verifier. Seeds determine tasks, and no request is in both splits.",
    tests: [
      `${DEFINE}/define-environment.test.ts > a seed gives one task of the requested level, and no request is in both splits`,
      `${DEFINE}/define-environment.test.ts > an author who divides the splits gets the split, and each request as it was drawn`,
      `${DEFINE}/define-environment.test.ts > tools change a state of their own rollout, and the verifier reads it with the last text`,
      `${DEFINE}/define-environment.test.ts > a schema of a library is shown as JSON Schema, fills in defaults and refuses what it forbids`,
      `${DEFINE}/define-environment.test.ts > checks that JSON Schema cannot express are made by the library, with its message and place`,
      `${DEFINE}/define-environment.test.ts > a simulated user replies to texts until it ends the task`,
      "test/contract/define-entry.test.ts > a production build has the author's environment, no shop and no checks, in at most 41 KB",
      `${DEFINE}/define-environment.test.ts > a demonstrator solves every task without mistakes and fails some with them`,
    ],
  },
  {
    id: "own-environment:bad-input",
    source: "docs/how-to/your-own-environment.md",
    behavior:
      "A tool that throws, hangs or returns too much costs its call only. A mistake in a definition is refused with the field and what to write instead. A verifier without a verdict gives no reward.",
    tests: [
      `${DEFINE}/define-environment.test.ts > wrong arguments, exceptions, hanging tools and long results cost their own call only`,
      `${DEFINE}/definition-check.test.ts > a mistake in a definition is refused with what to write instead: %#`,
      `${DEFINE}/definition-check.test.ts > a task that cannot be used is refused with its seed: %#`,
      `${DEFINE}/definition-check.test.ts > a verifier without a verdict gives no reward instead of 0: %#`,
    ],
  },
  {
    id: "own-environment:loading",
    source: "docs/how-to/your-own-environment.md",
    behavior:
      "--env loads an environment from a file or a package. A run records its source and does not resume with another one. The trainer replays its uploads.",
    tests: [
      "trainer/src/extensions/environment-module.test.ts > an environment is built in, in a file, or in an installed package",
      "trainer/src/extensions/environment-module.test.ts > the source of a user's environment changes with its file",
      "trainer/src/extensions/environment-module.test.ts > environment %s is refused with what to do",
      "trainer/src/commands/own-environment.test.ts > train-base makes a base model from the demonstrations, and keeps it while they stay the same",
      "trainer/src/commands/own-environment.test.ts > train takes steps in it, and a stopped run goes on unless the file has changed",
      "trainer/src/commands/own-environment.test.ts > evaluate and simulate run its tasks",
      "trainer/src/commands/own-environment.test.ts > a study in it has runs of its own, and adds none to those of an environment that has changed",
      "trainer/src/commands/own-environment.test.ts > a study in it runs to its end and names it in every run",
      "test/contract/packaged-environment.test.ts > waggle train runs an environment that an installed package exports",
      "trainer/src/check/own-environment-replay.test.ts > an upload from the environment holds and is judged by its verifier",
      "trainer/src/check/own-environment-replay.test.ts > an upload from an unknown environment is rejected, and so is one whose tools act differently",
      "test/contract/practice-replay.test.ts > a practice task with e-mail addresses and numbers is replayed and judged by its own words",
    ],
  },
  {
    id: "own-environment:learning",
    source: "docs/how-to/your-own-environment.md",
    behavior:
      "A policy learns in an environment of a user: from a base model made of its demonstrations, by the rewards of its verifier.",
    tests: [
      "trainer/src/loop/own-environment-learning.test.ts > seed %i: rewards of the verifier raise success at held-out tasks",
      "trainer/src/loop/own-environment-learning.test.ts > control: without a learning rate, success stays what it was",
    ],
  },
  {
    id: "own-environment:check",
    source: "docs/how-to/your-own-environment.md",
    behavior:
      "waggle check runs what the built-in environments are tested with and says in one line per check what is wrong and which seed shows it.",
    tests: [
      `${DEFINE}/check/check-environment.test.ts > a sound environment fails no check`,
      `${DEFINE}/check/held-out-check.test.ts > held-out tasks with new values and a third of new patterns pass, with their counts`,
      `${DEFINE}/check/held-out-check.test.ts > values of training are refused, and so are values that the prompt tells`,
      `${DEFINE}/check/held-out-check.test.ts > too few requests, patterns of training and tasks without values are refused`,
      `${DEFINE}/check/check-environment.browser.test.ts > a sound environment passes every check in a browser, with the same numbers as in Node`,
      "workers/edge/src/own-environment.test.ts > a sound environment passes every check in workerd, with the same numbers as in Node",
      `${DEFINE}/check/check-environment.test.ts > every planted fault has a message`,
      `${DEFINE}/check/check-environment.test.ts > %s: caught`,
      `${DEFINE}/check/check-environment.test.ts > a verifier that hangs is waited for once, and each check that needs it says so`,
      "trainer/src/environment-check/endless-call.test.ts > a tool that never awaits is ended, and the check names it",
      "trainer/src/environment-check/endless-call.test.ts > tasks, demonstrate and nearMiss that never end are ended and named too",
      "trainer/src/environment-check/check-command.test.ts > a site's retention environment has one line, without the rules of practice: %s",
      `${DEFINE}/check/check-environment.test.ts > a check that cannot run has failed, and the others run`,
      `${DEFINE}/check/check-environment.test.ts > the built-in environment %s passes every check that it has examples for`,
      "packages/dev/src/runtimes/runtime-check.test.ts > a tool that only a later task calls is repeated too, and one that no task calls is named",
      "trainer/src/environment-check/check-command.test.ts > lengths are measured with what the site will have: %s",
      "trainer/src/environment-check/check-command.test.ts > the example %s of the docs passes, with one line per check",
      "trainer/src/environment-check/check-command.test.ts > an environment with a fault ends with exit code 1, and JSON names the task that shows it",
    ],
  },
];
