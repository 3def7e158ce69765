/** Requirements of the scripts: supervised processes and validated command lines. */
import type { Requirement } from "./requirement.ts";

export const PROCESS_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "start:restarts",
    source: "issue 13, 1.6",
    behavior:
      "npm start restarts a process that ends, at its port and with a growing wait, and gives up with the reason after five restarts in ten minutes.",
    tests: [
      "test/e2e/start.test.ts > npm start restarts each of its processes that is killed, at the same port",
      "packages/dev/src/processes/supervisor.test.ts > a killed process is restarted, and the reason is logged in one line",
      "packages/dev/src/processes/supervisor.test.ts > the supervisor gives up after five restarts, each after a longer wait",
      "packages/dev/src/processes/supervisor.test.ts > a process that runs but does not respond is stopped and restarted",
    ],
  },
  {
    id: "dev:own-project",
    source: "issue 15, 4 and 5",
    behavior:
      "waggle dev runs in any project: its page and the practice page reload on change, a killed process comes back, and Ctrl-C ends everything. It prints a line at once, and before each long step.",
    tests: [
      "test/e2e/own-project.test.ts > the site's own page opens, and a change of its tools reloads it",
      "test/e2e/own-project.test.ts > the practice page shows the environment's tasks",
      "test/e2e/own-project.test.ts > a line is printed before each long step of the start",
      "packages/cli/src/main.test.ts > dev says what it does before it loads anything, and other commands print nothing",
      "test/e2e/own-project.test.ts > a killed process of waggle dev comes back at its address",
      "test/e2e/own-project.test.ts > a dry run of the deployment bundles the Worker with the site's settings",
      "test/e2e/own-project.test.ts > Ctrl-C ends every process",
    ],
  },
  {
    id: "base:card",
    source: "issue 15, 4",
    behavior:
      "The base of a site has a model card with its demonstrations, their digest, its success on held-out tasks, its size and its limits.",
    tests: [
      "trainer/src/pretrain/base-card.test.ts > a base's card says what it learned from, how often it succeeds, its size and its limits",
      "trainer/src/pretrain/base-card.test.ts > the card's digest changes with the demonstrations",
      "trainer/src/pretrain/base-card.test.ts > the card of a base from the default model names that model's package and version",
    ],
  },
  {
    id: "loop:words",
    source: "report of a stranger's site",
    behavior:
      "The loop says what it learned from in few lines, and warns if the base is too weak to learn from.",
    tests: [
      "trainer/src/metrics/reporter.test.ts > are one line in 30 seconds, which counts them",
      "trainer/src/metrics/reporter.test.ts > are one line each as JSON",
      "packages/cli/src/loop-warning.test.ts > a base and a deployed version that fail almost always are too weak to learn from",
      "packages/cli/src/loop-warning.test.ts > a run that learned nothing says so, also without a comparison",
      "trainer/src/commands/own-environment.test.ts > train-base warns about a base that solves almost nothing",
    ],
  },
  {
    id: "start:one-owner",
    source: "issue 13, 7.5",
    behavior:
      "A state folder has one owner, whose processes end with it in every case. A second start reports the owner's addresses.",
    tests: [
      "test/e2e/start.test.ts > a second npm start on the same state is refused with the addresses of the first",
      "test/e2e/start.test.ts > no process of npm start survives when it is killed",
    ],
  },
  {
    id: "start:early-shop",
    source: "issue 13, 7.5",
    behavior: "A page opened before the base model is published becomes ready on its own.",
    tests: [
      "test/e2e/visitor.test.ts > a shop opened before the trainer published the base model becomes ready on its own",
      "packages/embed/src/create-agent.test.ts > a page opened before the first policy is published says so and becomes ready later",
    ],
  },
  {
    id: "scripts:checked-options",
    source: "issue 13, 7.5",
    behavior:
      "Every npm script explains its options and refuses others with exit code 2. Each option of `waggle` is declared once, and the reference lists them all.",
    tests: [
      "trainer/src/options/shared-options.test.ts > every flag of the program is declared in one place",
      "test/contract/commands-page.test.ts > the reference of commands lists every command with its arguments and options",
      "test/contract/command-lines.test.ts > every npm script has a case in this file",
      "test/contract/command-lines.test.ts > npm run %s explains its options and refuses unknown options and bad values",
    ],
  },
  {
    id: "docs:pages",
    source: "issue 14, 1",
    behavior:
      "Links and files that a page names exist, its TypeScript compiles, and a page of evidence opens with its answer.",
    tests: [
      "test/contract/docs-pages.test.ts > every link between files leads to a file and a heading",
      "test/contract/docs-pages.test.ts > every file that a page names exists",
      "test/contract/docs-pages.test.ts > a page of evidence opens with its answer and has tables of at most ten rows",
      "test/contract/docs-snippets.test.ts > every block of TypeScript in the documentation compiles",
    ],
  },
  {
    id: "docs:site-guides",
    source: "docs/tutorials/embed-an-agent.md and docs/how-to/your-own-site.md",
    behavior:
      "The code that the tutorial and the guide of sites add to the template compiles, and page and practice agree.",
    tests: [
      "test/contract/site-guides.test.ts > the tool of the tutorial is in the page, and in practice after its last step",
      "test/contract/site-guides.test.ts > the retention environment of the guide passes its checks, with three kinds of requests",
    ],
  },
  {
    id: "docs:one-screen",
    source: "issue 14, 1",
    behavior: "The README has at most 900 words and embeds the agent as the guide does.",
    tests: [
      "test/contract/docs-pages.test.ts > the README is one screen: at most 900 words",
      "test/contract/docs-pages.test.ts > the guide embeds the agent with the lines of the README",
    ],
  },
  {
    id: "process:interop",
    source: "docs/how-to/test.md",
    behavior:
      "One command tries Waggle with programs and models of others, and lists every deviation with its reason.",
    tests: [
      "test/contract/interop.test.ts > the pages are those of the recorded run, in which nothing failed",
      "test/contract/interop.test.ts > every row of the table of differences is a deviation with a reason",
      "test/e2e/mcp-conformance.test.ts > passes the conformance suite but for the listed deviations",
      "packages/runtime/src/openai-http/ai-sdk-clients.test.ts > runs a tool and goes on, whole and as a stream",
      "packages/runtime/src/openai-http/langchain-clients.test.ts > a chain calls a tool, whose result is a later message",
    ],
  },
];
