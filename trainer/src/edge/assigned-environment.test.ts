import { environmentNamed, type EnvironmentSpec } from "@waggle/environments";
import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createProgram } from "../commands/program.ts";
import { assignedEnvironment } from "./assigned-environment.ts";

const desk: EnvironmentSpec = { ...environmentNamed("form"), name: "desk", environments: ["desk"] };
const OTHER_SITE =
  ". If you mean another site of this edge, pass its id, such as --site desk (waggle sites lists them)";

function refusal(...given: Parameters<typeof assignedEnvironment>): string {
  try {
    assignedEnvironment(...given);
    return "none";
  } catch (error) {
    return WaggleError.is(error, "INVALID_ARGUMENT") ? error.message : String(error);
  }
}

test("an environment that is built in or given is found", () => {
  expect(assignedEnvironment({ environment: "form" }).name).toBe("form");
  expect(assignedEnvironment({ environment: "desk" }, [desk])).toBe(desk);
});

test("one that is not built in says to pass --env, and --site where the credential opens several sites", () => {
  const said = (site: string): string =>
    `the edge assigns tasks of desk to site ${site}, and desk is not built in; pass the file, folder or package that defines it, such as --env ./desk.ts`;
  expect(refusal({ environment: "desk" })).toBe(said("default") + OTHER_SITE);
  expect(refusal({ environment: "desk", site: "help" })).toBe(said("help"));
  expect(refusal({ environment: "desk", site: "default" }, [], "default")).toBe(said("default"));
});

test("another environment than the assigned one, and a site without tasks, are refused", () => {
  expect(refusal({ environment: "shop", site: "help" }, [desk, desk])).toBe(
    "--env is environment desk, but the edge assigns tasks of shop to site help; pass that environment. If it was renamed while waggle dev ran, stop that and start it again",
  );
  expect(refusal({ environment: "", site: "default" })).toBe(
    `the edge assigns no tasks to site default; set its task environment, such as taskEnvironment=form${OTHER_SITE}`,
  );
});

test("evaluate and simulate say which option names the environment", async () => {
  const run = (...args: readonly string[]): Promise<unknown> =>
    createProgram({
      signal: new AbortController().signal,
      writeOut: () => {},
      writeError: () => {},
      environment: { WAGGLE_TRAINER_CREDENTIAL: "secret" },
      fetch: () =>
        Promise.resolve(
          Response.json({ site: "default", environment: "desk", frozen: null, killed: null }),
        ),
    }).parseAsync(args, { from: "user" });
  await expect(run("evaluate")).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/such as --env \.\/desk\.ts.* such as --site desk/) as string,
  });
  await expect(run("simulate")).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message:
      "simulate needs an environment; name it with --env, such as --env form or --env ./my-site.ts",
  });
});
