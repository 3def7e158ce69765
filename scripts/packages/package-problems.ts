/** Checks a packed package: its files, manifest and types. An empty list means no problems. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { type PackedPackage, tarballBytes } from "./packed-package.ts";

/** Files that a package contains in addition to those that its `files` name. */
const EXPECTED =
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|dist\/.+\.(js|js\.map|d\.ts|json))$/;
const OF_TESTS = /\.(test|bench|contract|fixture|test-d)\.|(^|\/)(fixtures|__[a-z]+__)\//;
/** TypeScript's helper for an `import()` of a computed path; see packages/runtime/tsconfig.loader.json. */
const IMPORT_HELPER = "__rewriteRelativeImportExtension(";
/** An `import()` of a computed path, with the comments before its argument. */
const COMPUTED_IMPORT = /\bimport\(((?:\s|\/\*[\s\S]*?\*\/)*)(?=[^\s"')/])/g;
/** Comments of Vite, webpack and Turbopack that leave an `import()` to the browser. They must be inside the call. */
const LEFT_TO_BROWSER = ["@vite-ignore", "webpackIgnore: true", "turbopackIgnore: true"];
/** Packages whose `import()` of a computed path no page bundles. */
const IN_NODE: readonly (string | undefined)[] = [
  "@waggle/trainer",
  "@waggle/cli",
  "@waggle/dev",
  "@waggle/site",
];
/** Every package is ESM for Node 22 and bundlers, so these resolution modes are not supported. */
const UNSUPPORTED = ["node10", "node16-cjs"];

/** Returns one sentence per problem. */
export async function packageProblems(packed: PackedPackage): Promise<string[]> {
  return [
    ...contentProblems(packed),
    ...manifestProblems(packed),
    ...(await publintProblems(packed)),
    ...(await typeProblems(packed)),
  ];
}

function contentProblems({ files, manifest, staged }: PackedPackage): string[] {
  const named = (manifest.files ?? []).filter((path) => path !== "dist");
  const isNamed = (path: string): boolean =>
    named.some((name) => path === name || path.startsWith(`${name}/`));
  const strange = files.filter(
    (path) => OF_TESTS.test(path) || !(EXPECTED.test(path) || isNamed(path)),
  );
  const missing = ["README.md", "LICENSE"].filter((path) => !files.includes(path));
  const emptyMaps = files
    .filter((path) => path.endsWith(".js.map"))
    .filter((path) => !readFileSync(join(staged, path), "utf8").includes('"sourcesContent":'));
  const bundled = IN_NODE.includes(manifest.name) ? [] : files;
  const scripts = bundled.filter((path) => path.endsWith(".js") && !strange.includes(path));
  const wrapped = scripts.filter((path) =>
    readFileSync(join(staged, path), "utf8").includes(IMPORT_HELPER),
  );
  return [
    ...wrapped.map(
      (path) => `${path} wraps the argument of import(), which webpack's minifier breaks`,
    ),
    ...scripts.flatMap((path) => uncommented(staged, path)),
    ...strange.map((path) => `${path} must not be in the tarball`),
    ...missing.map((path) => `${path} is missing`),
    ...emptyMaps.map((path) => `${path} refers to sources that are not in the tarball`),
    ...files
      .filter((path) => /\.(js|d\.ts)$/.test(path) && !strange.includes(path))
      .flatMap((path) => lost(staged, path)),
  ];
}

/** Computed imports that a bundler would try to resolve. */
function uncommented(staged: string, path: string): string[] {
  const code = readFileSync(join(staged, path), "utf8");
  return [...code.matchAll(COMPUTED_IMPORT)].flatMap(([, comments = ""]) =>
    LEFT_TO_BROWSER.filter((comment) => !comments.includes(`/* ${comment} */`)).map(
      (comment) => `${path} has an import() of a computed path without /* ${comment} */`,
    ),
  );
}

const RELATIVE = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*"(\.{1,2}\/[^"]+)"/g;

/** Imports of a file that are missing in the tarball. */
function lost(staged: string, path: string): string[] {
  const code = readFileSync(join(staged, path), "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
  return [...code.matchAll(RELATIVE)]
    .map(([, specifier = ""]) => specifier)
    .filter((specifier) => {
      const target = join(staged, dirname(path), specifier);
      return !existsSync(path.endsWith(".d.ts") ? target.replace(/\.js$/, ".d.ts") : target);
    })
    .map((specifier) => `${path} imports ${specifier}, which is not in the tarball`);
}

function manifestProblems({ staged }: PackedPackage): string[] {
  const text = readFileSync(join(staged, "package.json"), "utf8");
  const manifest = JSON.parse(text) as { readonly [field: string]: unknown };
  const fields = ["description", "keywords", "license", "repository", "homepage", "engines"];
  const paths = [...text.matchAll(/"(\.\/dist\/[^"*]+)"/g)].map(([, path = ""]) => path);
  return [
    ...fields.filter((field) => !(field in manifest)).map((field) => `it has no ${field}`),
    ...(/"source":/.test(text) ? ["its exports have the condition source"] : []),
    ...paths
      .filter((path) => !existsSync(join(staged, path)))
      .map((path) => `package.json names ${path}, which is not in the tarball`),
  ];
}

async function publintProblems(packed: PackedPackage): Promise<string[]> {
  const { messages, pkg } = await publint({
    pack: { tarball: tarballBytes(packed).buffer },
    strict: true,
  });
  return messages.map(
    (message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`,
  );
}

/** Like `attw --profile esm-only`. */
async function typeProblems(packed: PackedPackage): Promise<string[]> {
  const isTyped = packed.files.some((path) => path.endsWith(".d.ts"));
  const analysis = await checkPackage(createPackageFromTarballData(tarballBytes(packed)));
  if (analysis.types === false) return isTyped ? ["attw: it has no types"] : [];
  return analysis.problems
    .filter(
      (problem) => !("resolutionKind" in problem) || !UNSUPPORTED.includes(problem.resolutionKind),
    )
    .map((problem) => {
      const where = "entrypoint" in problem ? ` at ${problem.entrypoint}` : "";
      return `attw: ${problem.kind}${where}`;
    });
}
