/** What the edge promises about publishing, shares of work, and what an operator sees. Pure data. */
import type { Requirement } from "./requirement.ts";

const at = (file: string, ...names: readonly string[]): string[] =>
  names.map((name) => `workers/edge/src/${file} > ${name}`);

export const EDGE_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "edge:publishing",
    source: "docs/design.md",
    behavior:
      "Only a version whose evaluation passed the gate is served; what descends from a rolled-back version is not; overrides are logged.",
    tests: [
      ...at(
        "routes/publishing.test.ts",
        "a candidate that failed its evaluation is recorded and never served",
        "two publishers at once get two versions, and the slower one is told so",
        "what descends from a rolled-back version leaves the channels and needs the operator's word",
        "a promotion without an evaluation that passes is refused",
        "every override is in the audit log with the name of the operator and the reason",
      ),
    ],
  },
  {
    id: "edge:shared-groups",
    source: "docs/design.md",
    behavior: "Visitors and networks that ask for tasks and do not answer leave others their work.",
    tests: at(
      "asking-visitors.test.ts",
      "five visitors who only ask for tasks leave an honest page its work",
      "a network that makes a new visitor for every task runs out of tasks",
    ),
  },
  {
    id: "edge:health",
    source: "docs/design.md",
    behavior:
      "Refusals are counted by reason, internal errors are logged with their request, and a silent trainer is shown as absent.",
    tests: at(
      "routes/health.test.ts",
      "five refused uploads are counted by reason and shown to the operator",
      "an internal error names its request and is logged with class and stack, without the payload",
      "a trainer that is silent for 20 seconds does not run",
    ),
  },
  {
    id: "edge:bounded-reads",
    source: "docs/design.md",
    behavior: "The rows that a call reads do not grow with what is stored.",
    tests: at(
      "bounded-reads.test.ts",
      "the rows that a call reads do not grow with what is stored",
      "counters equal a count of the rows, also after a visitor is forgotten",
    ),
  },
];
