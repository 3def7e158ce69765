/** Combines all measures of `npm run health`, with a line for each finding. */
import { bannedWords } from "./banned-words.ts";
import { documentedExports } from "./documented-exports.ts";
import { type PackageRecord, readMutationRecord } from "../mutation/mutation-record.ts";
import { crowdedFolders } from "./folders.ts";
import { importCycles } from "./import-cycles.ts";
import { longestProseLine } from "./prose.ts";
import { PublicNames } from "./public-names.ts";
import { testsPerSourceLine } from "./test-lines.ts";

type HealthFigures = {
  /** Number of distinct names that each package exports. */
  readonly publicNames: { readonly [name: string]: number };
  readonly unusedPublicNames: number;
  /** Number of groups of files that import each other, types included. */
  readonly typeCycles: number;
  /** Number of folders with more than 40 source files. */
  readonly foldersOver40: number;
  readonly bannedWords: number;
  /** Characters of the longest line of prose in the documentation. */
  readonly longestProseLine: number;
  /** Share of public names with a comment, in [0, 1]. */
  readonly documentedExports: number;
  readonly testsPerSourceLine: { readonly [name: string]: number };
  /** Share of mutants that tests killed in the recorded runs of `--mutants`, in [0, 1]. */
  readonly mutants: {
    readonly [name: string]: Pick<PackageRecord, "mutants" | "killed" | "ratio" | "commit">;
  };
};

type HealthReport = {
  readonly figures: HealthFigures;
  readonly findings: readonly string[];
};

/** Measures the repository. */
export function measureHealth(): HealthReport {
  const names = new PublicNames();
  const unused = names.packages.flatMap((name) =>
    names.unused(name).map((one) => `${name} > ${one}`),
  );
  const cycles = importCycles();
  const folders = crowdedFolders();
  const words = bannedWords();
  const prose = longestProseLine();
  return {
    figures: {
      publicNames: Object.fromEntries(names.packages.map((name) => [name, names.of(name).size])),
      unusedPublicNames: unused.length,
      typeCycles: cycles.length,
      foldersOver40: folders.length,
      bannedWords: words.length,
      longestProseLine: prose.length,
      documentedExports: Math.round(documentedExports() * 1000) / 1000,
      testsPerSourceLine: testsPerSourceLine(),
      mutants: Object.fromEntries(
        Object.entries(readMutationRecord()).map(([name, { mutants, killed, ratio, commit }]) => [
          name,
          { mutants, killed, ratio, commit },
        ]),
      ),
    },
    findings: [
      ...unused.map((name) => `unused public name: ${name}`),
      ...cycles.map((files) => `import cycle: ${files.join(", ")}`),
      ...folders.map(({ folder, files }) => `folder with ${files} source files: ${folder}`),
      ...words.map(
        ({ file, line, word, instead }) => `${file}:${line}: "${word}"; write ${instead}`,
      ),
      `longest line of prose: ${prose.file}:${prose.line} (${prose.length} characters)`,
    ],
  };
}
