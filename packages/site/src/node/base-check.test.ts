/** A base that goes on from a model makes no mistakes on purpose. */
import { expect, onTestFinished, test } from "vitest";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { loadSite } from "./load-site.ts";

async function loaded(base: string): Promise<string> {
  const config = (PLANNER_FILES["waggle.config.ts"] ?? "").replace(
    / {2}base: .*\n/,
    `  base: ${base},\n`,
  );
  const { folder, remove } = plannerSite({ "waggle.config.ts": config });
  onTestFinished(remove);
  return loadSite(folder).then(
    () => "loaded",
    (error: unknown) => String(error),
  );
}

test.each(["mistakes", "habits"])(
  "%s beside base.from are refused with file and line",
  async (field) => {
    expect(await loaded(`{ from: "default", ${field}: 0.1 }`)).toMatch(
      new RegExp(`waggle\\.config\\.ts:\\d+:\\d+: .*base\\.${field} has no effect`),
    );
  },
);

test.each(['{ from: "default", steps: 90 }', "{ mistakes: 0.1, habits: 0.5 }"])(
  "%s is loaded",
  async (base) => expect(await loaded(base)).toBe("loaded"),
);
