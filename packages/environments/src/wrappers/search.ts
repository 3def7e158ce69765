/** Environments whose documents are searched. */
import { WaggleError } from "@waggle/protocol";
import type { EnvironmentSpec } from "../environment-spec.ts";
import { type EnvironmentWrapper, within } from "./wrapped-environment.ts";

/** The tool that an environment with documents offers. */
const SEARCH_TOOL = "search";

/** An environment with documents: its tools find them. */
export const searched: EnvironmentWrapper = (instance) =>
  within(instance, {
    async observe() {
      const first = await instance.environment.observe();
      if (first.tools.some(({ name }) => name === SEARCH_TOOL)) return first;
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a recipe with a corpus needs an environment whose documents are searched, got ${instance.environment.task?.environment ?? "none"}; choose --env library`,
      );
    },
  });

/** @throws WaggleError `INVALID_ARGUMENT` for an environment whose documents cannot be searched. */
export async function requireSearch(spec: EnvironmentSpec): Promise<void> {
  await searched(spec.create(spec.reference(0, "train", 0))).environment.observe();
}
