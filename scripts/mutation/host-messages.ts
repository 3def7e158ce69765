/** What `TestHost` and its process tell each other. */
import type { ProjectName } from "./patched-tests.ts";

export type HostRequest = {
  readonly project: ProjectName;
  readonly test: string;
} & (
  | {
      readonly kind: "map";
      /** Their sources are marked. */
      readonly folders: readonly string[];
    }
  | {
      readonly kind: "run";
      /** The file and its source as the mutant leaves it. */
      readonly patch: { readonly file: string; readonly source: string } | null;
    }
);

export type HostAnswer = {
  readonly failure: string | null;
  readonly isTimeout: boolean;
  readonly seconds: number;
  /** Marks that the test reached, as `<file>:<mark>`. */
  readonly reached: readonly string[];
};
