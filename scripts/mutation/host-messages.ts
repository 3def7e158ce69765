/** Messages between `TestHost` and its process. */
import type { ProjectName } from "./patched-tests.ts";

/** Runs one test file. */
export type HostRequest = {
  readonly project: ProjectName;
  readonly test: string;
} & (
  | {
      readonly kind: "map";
      /** Folders whose sources are marked. */
      readonly folders: readonly string[];
    }
  | {
      readonly kind: "run";
      /** A file and its mutated source; null runs the unchanged code. */
      readonly patch: { readonly file: string; readonly source: string } | null;
    }
);

/** Outcome of a request. */
export type HostAnswer = {
  readonly failure: string | null;
  readonly isTimeout: boolean;
  readonly seconds: number;
  /** Marks that the test reached, as `<file>:<mark>`. */
  readonly reached: readonly string[];
};
