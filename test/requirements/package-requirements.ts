/** Requirements of the published packages and the waggle command. */
import type { Requirement } from "./requirement.ts";

export const PACKAGE_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "packages:install",
    source: "issue 14, 6",
    behavior:
      "Packages installed from a registry into an empty project train a recipe, embed an agent in a built page and bundle the edge.",
    tests: [
      "test/e2e/install.test.ts > waggle trains a recipe on the nano model and saves the adapter",
      "test/e2e/install.test.ts > a page with the lines of the embed's README answers a visitor",
      "test/e2e/install.test.ts > a Worker that re-exports the edge passes a dry run with the README's configuration",
      "test/e2e/embed.test.ts > the policy in the packed worker answers a request, and nothing is sent",
    ],
  },
  {
    id: "packages:contents",
    source: "issue 14, 6",
    behavior:
      "A tarball has no test, fixture, source or repository condition, and publint and are-the-types-wrong find nothing.",
    tests: [
      "test/e2e/install.test.ts > tests, sources and private conditions in a tarball are reported",
      "test/e2e/install.test.ts > tarballs have the compiled sources, the license and a manifest for users",
    ],
  },
  {
    id: "packages:readme",
    source: "issue 14, 6",
    behavior: "The example in every package's README compiles and prints what it says.",
    tests: [
      "test/e2e/readme-examples.test.ts > every example compiles",
      "test/e2e/readme-examples.test.ts > the example $name prints what it says",
    ],
  },
  {
    id: "packages:version",
    source: "issue 14, 6",
    behavior: "All packages share one version, which is in package.json and one generated file.",
    tests: [
      "test/contract/published-packages.test.ts > every package has the same version as the code and depends on the others at it",
      "test/contract/published-packages.test.ts > only version.ts spells out the version",
    ],
  },
  {
    id: "packages:optional-tensorflow",
    source: "issue 14, 5",
    behavior:
      "Installing the engine does not download TensorFlow.js. A reference device says which package to install.",
    tests: [
      "packages/engine/src/load-tensorflow.test.ts > a reference device without TensorFlow.js is refused with the command that installs it",
      "test/e2e/install.test.ts > contains neither TensorFlow.js nor a second copy of a package",
    ],
  },
  {
    id: "cli:one-command-line",
    source: "issue 14, 6",
    behavior:
      "Every npm script is a waggle command with the same name. Outside a checkout, a command that needs one says so in a sentence.",
    tests: [
      "packages/cli/src/program.test.ts > every npm script is a command with the same name, and no command appears twice",
      "packages/cli/src/program.test.ts > an npm script that is a waggle command runs that command",
      "packages/cli/src/repository-commands.test.ts > waggle %s outside a checkout says where it works, in one sentence",
    ],
  },
  {
    id: "cli:node-version",
    source: "issue 14, 6",
    behavior:
      "The command needs Node 22 and says so in a sentence. The repository's scripts start under Node 20.",
    tests: [
      "test/contract/node-version.test.ts > the waggle command needs Node 22 and says so in one sentence before it loads anything",
      "test/contract/node-version.test.ts > the repository's scripts start under Node 20, and under Node 22 if they are told to stay in it",
    ],
  },
  {
    id: "site:definition",
    source: "docs/how-to/your-own-site.md",
    behavior:
      "A site has one definition. A mistake is refused with file and line, and page, Worker and trainer each get their part only.",
    tests: [
      "packages/site/src/node/load-site.test.ts > two tools with one name are refused at the first of them",
      "packages/site/src/node/load-site.test.ts > all mistakes of the fields are reported at once",
      "test/contract/site-bundles.test.ts > the page has its tools, and nothing of the trainer, the verifier, the demonstrator or the edge",
      "test/contract/site-bundles.test.ts > the Worker has the edge tools, and nothing of the page or the trainer",
      "test/contract/site-bundles.test.ts > the trainer loads the environment and the reward, and nothing of the page or the edge",
    ],
  },
  {
    id: "site:page-check",
    source: "docs/how-to/your-own-site.md, Page and environment",
    behavior:
      "A page that disagrees with its environment is reported at the first turn that differs.",
    tests: [
      "packages/site/src/node/page-comparison.test.ts > a page that returns something else fails at the first turn that differs",
      "packages/site/src/node/page-comparison.test.ts > a page tool that hangs or returns 10 MB costs that call only, and the check names it",
      "packages/site/src/node/page-check.test.ts > a tool that never awaits is ended, and the check names it",
    ],
  },
  {
    id: "site:create",
    source: "docs/how-to/your-own-site.md",
    behavior:
      "npm create waggle writes a site that passes its tests, builds a page that answers, and learns.",
    tests: [
      "packages/create-waggle/src/create-waggle.test.ts > a folder with files is refused and stays as it is",
      "test/e2e/own-project.test.ts > the template's own tests pass, and the site is ready",
      "test/contract/page-icons.test.ts > every page of templates, examples and apps has an icon that needs no server or exists",
      "test/e2e/create-waggle.test.ts > the template %s installs from a registry, passes its tests, builds a page that answers, and runs",
      "test/e2e/first-policy.test.ts > a new project's policy is promoted after four commands",
    ],
  },
];
