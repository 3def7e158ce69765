/**
 * Runs test files with sources that are patched while Vite loads them, so that no file of the working tree changes. One
 * Vitest instance serves all runs of a project. Each test file stops at its first failure.
 */
import { join, relative } from "node:path";
import type { Plugin } from "vite";
import type { TestModule, Vitest } from "vitest/node";
import { createVitest } from "vitest/node";
import type { TestProjectInlineConfiguration } from "vitest/config";
import configuration from "../../vite.config.ts";

/** Projects of vite.config.ts whose tests can kill a mutant. */
export type ProjectName = "node" | "workers";

/** @returns the source to load instead; null keeps the file unchanged. */
export type Patch = (file: string, source: string) => string | null;

/** Outcome of one test file. */
export type TestFileResult = {
  /** The first test that failed, or a failure outside of tests; null if all passed. */
  readonly failure: string | null;
  /** Whether the failure is a timeout, which a busy machine can cause. */
  readonly isTimeout: boolean;
  readonly seconds: number;
  /** Data that tests stored in `task.file.meta`. */
  readonly meta: object;
};

/** A Vitest project with replaceable sources. */
export class PatchedTests {
  readonly #root: string;
  readonly #vitest: Vitest;
  readonly #current: { patch: Patch | null };

  private constructor(root: string, vitest: Vitest, current: { patch: Patch | null }) {
    this.#root = root;
    this.#vitest = vitest;
    this.#current = current;
  }

  static async open(
    root: string,
    name: ProjectName,
    setupFiles: readonly string[] = [],
  ): Promise<PatchedTests> {
    const current: { patch: Patch | null } = { patch: null };
    const { test, resolve, ssr, plugins = [] } = projectOf(name);
    const patching: Plugin = {
      name: "patched-source",
      enforce: "pre",
      transform: (code, id) => {
        const [path = ""] = id.split("?");
        return current.patch?.(relative(root, path), code) ?? null;
      },
    };
    const vitest = await createVitest(
      "test",
      {
        ...(test as object),
        root,
        config: false,
        watch: false,
        bail: 1,
        reporters: [],
        maxWorkers: 1,
        // Each run must load the patched sources, and marks outside of functions run only then.
        isolate: true,
        setupFiles: [...setupFiles],
        // A cached module would ignore its patch, and a patched module must not be cached.
        cache: false,
        fsModuleCache: false,
      },
      {
        ...(resolve === undefined ? {} : { resolve }),
        ...(ssr === undefined ? {} : { ssr }),
        plugins: [...plugins, patching],
      },
    );
    return new PatchedTests(root, vitest, current);
  }

  /** @param files files whose patch differs from the previous run. */
  patch(patch: Patch | null, files: readonly string[]): void {
    this.#current.patch = patch;
    for (const file of files) this.#vitest.invalidateFile(join(this.#root, file));
  }

  async run(test: string): Promise<TestFileResult> {
    const startedAt = performance.now();
    this.#vitest.state.filesMap.clear();
    const specification = this.#vitest.getRootProject().createSpecification(join(this.#root, test));
    const { testModules, unhandledErrors } = await this.#vitest.runTestSpecifications([
      specification,
    ]);
    this.#vitest.state.errorsSet.clear();
    const [module] = testModules;
    const failure = module === undefined ? `${test} did not run` : failureOf(module);
    const stray = unhandledErrors.length > 0 ? "an unhandled error" : null;
    return {
      failure: failure ?? stray,
      isTimeout: module !== undefined && hasTimedOut(module),
      seconds: (performance.now() - startedAt) / 1000,
      meta: module?.meta() ?? {},
    };
  }

  close(): Promise<void> {
    return this.#vitest.close();
  }
}

function projectOf(name: ProjectName): TestProjectInlineConfiguration {
  for (const project of configuration.test?.projects ?? []) {
    if (typeof project !== "object" || !("test" in project)) continue;
    if (project.test?.name === name) return project;
  }
  throw new Error(`vite.config.ts has no project ${name}`);
}

function failureOf(module: TestModule): string | null {
  for (const test of module.children.allTests("failed")) return test.fullName;
  const [error] = module.errors();
  if (error !== undefined) return `${module.relativeModuleId}: ${error.message}`;
  return module.ok() ? null : module.relativeModuleId;
}

function hasTimedOut(module: TestModule): boolean {
  for (const test of module.children.allTests("failed")) {
    return (test.result().errors ?? []).some(({ message }) => /timed out in \d+ms/.test(message));
  }
  return false;
}
