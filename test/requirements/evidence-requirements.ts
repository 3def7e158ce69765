/** Requirements of the evidence on learning. Pure data. */
import type { Requirement } from "./requirement.ts";

export const EVIDENCE_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "learning:temperature-control",
    source: "docs/evidence/learning/README.md",
    behavior:
      "A recipe counts as learning only if it beats its base at the base's best temperature with an active mechanism.",
    tests: [
      "a recipe that only reaches its base's greedy success has not learned",
      "a trained policy is evaluated at its own best temperature",
      "recipes with identical runs are no evidence, except for the reference",
      "without a control there is no claim",
    ].map((name) => `trainer/src/evidence/recipe-summary.test.ts > ${name}`),
  },
  {
    id: "learning:mutants",
    source: "issue 13, 8",
    behavior:
      "At least 95 % of the listed mistakes in parts, composition and updates fail a test. A mutant whose text is missing is an error.",
    tests: [
      "test/architecture/mutants.test.ts > every mutant changes exactly one place in the present code",
      "test/architecture/mutants.test.ts > the recorded run has all these mutants and caught at least 95 % of at least 60",
    ],
  },
  {
    id: "learning:evidence",
    source: "issue 5, evidence",
    behavior:
      "`npm run evidence -- learning` resumes after a stop, every committed page follows from the committed runs, no run takes more than three minutes, and claims of learning hold over seeds after Holm's correction.",
    tests: [
      "trainer/src/evidence/committed-pages.test.ts > every page and picture is generated from the runs",
      "trainer/src/evidence/committed-pages.test.ts > no run behind the pages took more than three minutes",
      "trainer/src/evidence/run-log.test.ts > a log returns what was appended without a truncated last line, and can be continued",
      "packages/evaluation/src/table-tests.test.ts > Holm-adjusted p-values match his example and are between p and n·p",
    ],
  },
  {
    id: "learning:studies",
    source: "issue 5, open questions stay open",
    behavior:
      "A study spends the same budget in every arm, divided among its stages, and compares the arms on the same seeds. Too few seeds give no answer.",
    tests: [
      "trainer/src/studies/study-page.test.ts > every study has arms that share one budget",
      "trainer/src/studies/study-page.test.ts > arms are compared with the first on the same seeds",
      "trainer/src/studies/study-page.test.ts > a seed counts once every arm has it, and too few seeds give no answer",
      "trainer/src/studies/study-page.test.ts > at equal KL, an arm is compared with the line of other arms, seed by seed",
      "trainer/src/loop/run-spending.test.ts > stages spend their shares of the whole budget, although each limit is a share of the rest",
      "trainer/src/loop/recipe-run.test.ts > if a budget ends a stage, the evaluation of its last step is reported",
    ],
  },
  {
    id: "release:rule",
    source: "issue 18, part 4",
    behavior:
      "A candidate that is worse for people is rolled back and a better one promoted, from counts of independent visitors that may be looked at after every request. Equal candidates are rolled back in at most 1 % of releases.",
    tests: [
      "packages/evaluation/src/release/sequential-boundary.test.ts > the chance of ever crossing the boundary is a little below the rate",
      "packages/evaluation/src/release/arm-difference.test.ts > visitors whose requests all end alike count about once, not once per request",
      "packages/evaluation/src/release/release-decision.test.ts > equal counts give equal decisions, and the order of arms matters",
      "trainer/src/releases/simulated-release.test.ts > rarely rolls an equal candidate back; counting requests as visitors breaks that",
      "trainer/src/releases/releases-command.test.ts > the recorded releases meet the bars except for returning visitors at a base rate of 0.5",
    ],
  },
];
