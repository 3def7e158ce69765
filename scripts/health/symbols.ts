/**
 * Finds the top-level declarations that a program can reach. A declaration reaches every declaration that its source
 * names, in its own file or through imports and re-exports. Loading a file also runs its top-level statements. A
 * local variable with the name of an import counts as a use of the import, so some dead code is missed, but live code
 * is never reported. Methods of a class are not distinguished.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "@waggle/protocol";
import { parseSync } from "vite";

type Node = { readonly type: string; readonly [key: string]: unknown };
/** The declaration of a name. */
export type Origin = { readonly file: string; readonly name: string };

/** A name that a file uses: a binding (`kl`) or a member of one (`parts.outcome`). */
type Use = { readonly name: string; readonly member?: string };
type Module = {
  readonly declarations: Map<string, Use[]>;
  /** Names of type aliases and interfaces. */
  readonly types: Set<string>;
  readonly statements: Use[];
  /** `*` stands for the whole module. */
  readonly imports: Map<string, Origin>;
  readonly exports: Map<string, Origin>;
  readonly loads: string[];
};

const isNode = (value: unknown): value is Node => isObject(value) && "type" in value;

/** Whether a child is a label instead of a use of a binding. */
function isLabel(node: Node, key: string): boolean {
  if (key === "property" && node.type === "MemberExpression") return node["computed"] === false;
  if (key === "right" && node.type === "TSQualifiedName") return true;
  return key === "key" && node["computed"] === false;
}

function usesOf(value: unknown, found: Use[] = []): Use[] {
  if (Array.isArray(value)) for (const child of value) usesOf(child, found);
  if (!isNode(value)) return found;
  if (value.type === "Identifier") found.push({ name: value["name"] as string });
  const [owner, member] =
    value.type === "TSQualifiedName"
      ? [value["left"], value["right"]]
      : value.type === "MemberExpression" && value["computed"] === false
        ? [value["object"], value["property"]]
        : [];
  if (isNode(owner) && owner.type === "Identifier" && isNode(member)) {
    found.push({ name: owner["name"] as string, member: member["name"] as string });
    return found;
  }
  for (const key of Object.keys(value)) if (!isLabel(value, key)) usesOf(value[key], found);
  return found;
}

/** Names that a pattern on the left of a declaration binds. */
const boundNames = (pattern: unknown) =>
  usesOf(pattern)
    .filter(({ member }) => member === undefined)
    .map(({ name }) => name);

/** Declarations that are reachable from the roots added so far. */
export class Reach {
  readonly #modules: Modules;
  readonly #reached = new Set<string>();

  constructor(modules: Modules) {
    this.#modules = modules;
  }

  /** Adds a file and all its exports to the roots. */
  addFile(file: string): void {
    this.#load(file);
    for (const name of this.#modules.exportsOf(file)) this.#add(this.#modules.originOf(file, name));
  }

  /** Adds a text, such as a snippet of a page, and all its declarations to the roots. */
  addText(name: string, text: string): void {
    for (const declared of this.#modules.addText(name, text))
      this.#add({ file: name, name: declared });
    this.#load(name);
  }

  /** Adds one declaration to the roots. */
  add(origin: Origin): void {
    this.#add(origin);
  }

  has({ file, name }: Origin): boolean {
    return this.#reached.has(`${file} > ${name}`);
  }

  #load(file: string): void {
    if (this.#reached.has(file)) return;
    this.#reached.add(file);
    const { loads, statements } = this.#modules.get(file);
    for (const loaded of loads) this.#load(loaded);
    this.#follow(file, statements);
  }

  #add(origin: Origin): void {
    if (origin.name === "*") return this.addFile(origin.file);
    this.#load(origin.file);
    if (this.has(origin)) return;
    this.#reached.add(`${origin.file} > ${origin.name}`);
    this.#follow(origin.file, this.#modules.get(origin.file).declarations.get(origin.name) ?? []);
  }

  #follow(file: string, uses: readonly Use[]): void {
    const { declarations, imports } = this.#modules.get(file);
    for (const { name, member } of uses) {
      if (declarations.has(name)) this.#add({ file, name });
      const origin = imports.get(name);
      if (!origin) continue;
      if (origin.name !== "*") this.#add(this.#modules.originOf(origin.file, origin.name));
      else if (member === undefined) this.addFile(origin.file);
      else if (this.#modules.exportsOf(origin.file).includes(member))
        this.#add(this.#modules.originOf(origin.file, member));
    }
  }
}

/** Files of the workspace, parsed on demand. */
export class Modules {
  readonly #root: string;
  readonly #modules = new Map<string, Module>();
  /** Files by import specifier. */
  readonly entries: ReadonlyMap<string, string>;

  constructor(root: string) {
    this.#root = root;
    const entries = new Map<string, string>();
    for (const manifest of globSync("{packages/*,trainer,workers/*}/package.json", { cwd: root })) {
      const { name, exports } = JSON.parse(readFileSync(join(root, manifest), "utf8")) as {
        name: string;
        exports: Record<string, { source?: string } | string>;
      };
      for (const [path, entry] of Object.entries(exports)) {
        // An entry without a source has only types or data.
        if (typeof entry === "string" || entry.source === undefined) continue;
        entries.set(name + path.slice(1), join(dirname(manifest), entry.source));
      }
    }
    this.entries = entries;
  }

  /** Names that a file exports. */
  exportsOf(file: string): string[] {
    return [...this.get(file).exports.keys()];
  }

  /** The declaration of an exported name, through re-exports. */
  originOf(file: string, name: string): Origin {
    const origin = this.get(file).exports.get(name);
    if (!origin) throw new Error(`${file} does not export ${name}`);
    if (origin.file === file || origin.name === "*") return origin;
    return this.originOf(origin.file, origin.name);
  }

  isType({ file, name }: Origin): boolean {
    return this.get(file).types.has(name);
  }

  /** Files that a file imports or re-exports. */
  filesNamedBy(file: string): string[] {
    const { imports, exports, loads } = this.get(file);
    const named = [...imports.values(), ...exports.values()].map((origin) => origin.file);
    return [...new Set([...named, ...loads])].filter((other) => other !== file);
  }

  /** Names that a file imports, including members of a namespace and dynamic imports. */
  importsOf(file: string): Origin[] {
    const { imports, declarations, statements, exports } = this.get(file);
    const uses = [...statements, ...[...declarations.values()].flat()];
    const named = [...imports].flatMap(([local, origin]): Origin[] => {
      if (origin.name !== "*") return [this.originOf(origin.file, origin.name)];
      const all = this.exportsOf(origin.file);
      const members = uses.flatMap(({ name, member }) =>
        name === local && member !== undefined && all.includes(member) ? [member] : [],
      );
      const taken = local.startsWith("import ") ? all : members;
      return taken.map((name) => this.originOf(origin.file, name));
    });
    const passedOn = [...exports.values()].filter((origin) => origin.file !== file);
    return [...named, ...passedOn.map(({ file: at, name }) => this.originOf(at, name))];
  }

  /** @returns the names that the text declares. */
  addText(name: string, text: string): string[] {
    const module = this.#read(name, text);
    this.#modules.set(name, module);
    return [...module.declarations.keys()];
  }

  /** The file of a specifier; undefined for libraries and non-TypeScript files. */
  #resolve(from: string, specifier: string): string | undefined {
    const file = specifier.startsWith(".")
      ? join(dirname(from), specifier)
      : this.entries.get(specifier);
    return file?.endsWith(".ts") === true && !file.endsWith(".d.ts") ? file : undefined;
  }

  get(file: string): Module {
    let module = this.#modules.get(file);
    if (!module) {
      module = this.#read(file, readFileSync(join(this.#root, file), "utf8"));
      this.#modules.set(file, module);
    }
    return module;
  }

  #read(file: string, text: string): Module {
    const parsed = parseSync(file, text);
    const module: Module = {
      declarations: new Map(),
      types: new Set(),
      statements: [],
      imports: new Map(),
      exports: new Map(),
      loads: [],
    };
    const declare = (names: readonly string[], node: unknown) => {
      const uses = usesOf(node);
      for (const name of names)
        module.declarations.set(name, [...(module.declarations.get(name) ?? []), ...uses]);
    };
    for (const { moduleRequest, entries } of parsed.module.staticImports) {
      const source = this.#resolve(file, moduleRequest.value);
      if (source === undefined) continue;
      if (entries.length === 0) module.loads.push(source);
      for (const { importName, localName } of entries)
        module.imports.set(localName.value, { file: source, name: importName.name ?? "*" });
    }
    for (const { entries } of parsed.module.staticExports)
      for (const { moduleRequest, importName, exportName, localName } of entries) {
        const source = moduleRequest ? this.#resolve(file, moduleRequest.value) : file;
        const name = moduleRequest ? (importName.name ?? "*") : (localName.name ?? "default");
        if (source === undefined || exportName.kind === "None") continue;
        module.exports.set(
          exportName.name ?? "default",
          (moduleRequest ? undefined : module.imports.get(name)) ?? { file: source, name },
        );
      }
    // A file that is imported dynamically, or that a worker URL names, counts as used completely.
    for (const [, specifier = ""] of text.matchAll(/(?:import|new URL)\(\s*["']([^"']+)["']/g)) {
      const source = this.#resolve(file, specifier);
      // A snippet of a page may import a file of its reader.
      if (source === undefined || !existsSync(join(this.#root, source))) continue;
      const name = `import ${specifier}`;
      module.imports.set(name, { file: source, name: "*" });
      module.statements.push({ name });
    }
    for (const statement of parsed.program.body as unknown as Node[]) {
      if (/^Import|^ExportAll/.test(statement.type)) continue;
      const node = statement.type.startsWith("Export") ? statement["declaration"] : statement;
      if (!isNode(node)) continue;
      if (node.type === "VariableDeclaration")
        for (const declarator of node["declarations"] as Node[])
          declare(boundNames(declarator["id"]), declarator);
      else if (statement.type === "ExportDefaultDeclaration") declare(["default"], node);
      else if (node.type.endsWith("Declaration") && isNode(node["id"])) {
        const name = (node["id"] as Node)["name"] as string;
        declare([name], node);
        if (/^TS(TypeAlias|Interface)/.test(node.type)) module.types.add(name);
      } else usesOf(node, module.statements);
    }
    return module;
  }
}
