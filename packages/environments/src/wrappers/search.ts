/** Checks for environments that offer document search. */
import { WaggleError } from "@waggle/protocol";
import type { EnvironmentSpec } from "../environment-spec.ts";
import { type EnvironmentWrapper, within } from "./wrapped-environment.ts";

/** Name of the tool that searches documents. */
const SEARCH_TOOL = "search";

/** Refuses an environment without a search tool when it is observed. */
export const searched: EnvironmentWrapper = (instance) =>
  within(instance, {
    async observe() {
      const first = await instance.environment.observe();
      if (first.tools.some(({ name }) => name === SEARCH_TOOL)) return first;
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `the environment "${instance.environment.task?.environment ?? "none"}" has no documents to search; a recipe with a corpus needs one that does (choose --env library)`,
      );
    },
  });

/** @throws WaggleError `INVALID_ARGUMENT` for an environment whose documents cannot be searched. */
export async function requireSearch(spec: EnvironmentSpec): Promise<void> {
  await searched(spec.create(spec.reference(0, "train", 0))).environment.observe();
}
