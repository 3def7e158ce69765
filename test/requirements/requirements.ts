/**
 * What Waggle claims, one entry a claim: id, where the claim comes from, the behavior, and the tests
 * that show it (`file > name of the test`). `requirements.test.ts` fails on a claim without a test
 * and on a citation of a test that does not exist. Pure data.
 */
export type Requirement = {
  /** `area:claim`. */
  readonly id: string;
  /** Document or paper the claim rests on. */
  readonly source: string;
  readonly behavior: string;
  readonly tests: readonly string[];
};

export const REQUIREMENTS: readonly Requirement[] = [
  {
    id: "tree:layers",
    source: "docs/design.md, The tree",
    behavior: "Packages import downward only; heavy libraries stay where the tree lists them.",
    tests: [
      "test/architecture/layers.test.ts > sources import workspace packages of lower layers only",
      "test/architecture/layers.test.ts > heavy libraries are imported only where the tree lists them",
      "test/architecture/layers.test.ts > a package declares every library it imports",
    ],
  },
  {
    id: "record:tokens",
    source: "docs/design.md, decision 1",
    behavior:
      "A trajectory is a tree of given and sampled token segments; malformed ones are refused.",
    tests: [
      "packages/protocol/src/trajectory.test.ts > a path runs from the root to the leaf and leaves other branches out",
      "packages/protocol/src/trajectory.test.ts > refuses %s",
    ],
  },
];
