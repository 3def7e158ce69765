/** No unused public names, and a limit on their number. */
import { expect, test } from "vitest";
import { PublicNames } from "../../scripts/health/public-names.ts";

/** Maximum number of public names of a package; absent = no limit. */
const MAX_NAMES: Readonly<Record<string, number>> = { "@waggle/learning": 400 };

const names = new PublicNames();

test.each(names.packages)("%s has no public name that nothing uses", (name) => {
  expect(names.unused(name)).toEqual([]);
});

test.each(Object.entries(MAX_NAMES))("%s has at most %i public names", (name, most) => {
  expect(names.of(name).size).toBeLessThanOrEqual(most);
});
