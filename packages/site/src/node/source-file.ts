/** A source file of a site, parsed so that a mistake can be reported with its line. */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { isObject, WaggleError } from "@waggle/protocol";
import { parseSync } from "oxc-parser";

/** A node of the syntax tree (ESTree), as far as it is read here. */
export type Node = {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
};

/** Where a value is in a definition: `["gate", "margin"]`. */
export type FieldPath = readonly (string | number)[];

export class SourceFile {
  readonly file: string;
  readonly #text: string;
  readonly #program: Node;

  /** @throws WaggleError `INVALID_ARGUMENT` with the line of a syntax error. */
  constructor(file: string) {
    this.file = file;
    this.#text = readFileSync(file, "utf8");
    const { program, errors } = parseSync(file, this.#text);
    this.#program = program as unknown as Node;
    const [error] = errors;
    if (error === undefined) return;
    throw this.mistake(error.labels[0]?.start ?? 0, `${error.message}; correct the syntax`);
  }

  /** The object of the default export, inside of calls such as `defineSite`; `null` if it is not written there. */
  get definition(): Node | null {
    const exported = bodyOf(this.#program).find(({ type }) => type === "ExportDefaultDeclaration");
    return exported === undefined ? null : this.#objectOf(exported["declaration"] as Node);
  }

  /** The syntax node of a value of the definition, or of the closest value around it. */
  nodeAt(path: FieldPath): Node {
    let node = this.definition;
    if (node === null) return this.#program;
    for (const key of path) {
      const next = memberOf(node, key);
      if (next === null) break;
      node = next;
    }
    return node;
  }

  /** The property `name` of any object in the file, or the object whose own `name` is this text. */
  toolNamed(name: string): Node | null {
    return firstNode(
      this.#program,
      (node) =>
        node.type === "Property" &&
        ((keyOf(node) === name && isObjectNode(node["value"])) ||
          (keyOf(node) === "name" && (node["value"] as Node)["value"] === name)),
    );
  }

  /** The module that the function imports, as it is written; `null` if it is no function that imports. */
  importedBy(node: Node): string | null {
    if (node.type !== "ArrowFunctionExpression") return null;
    const { type, source } = node["body"] as Node & { readonly source?: Node };
    const written = source?.["value"];
    return type === "ImportExpression" && typeof written === "string" ? written : null;
  }

  /** An error that begins with the file, line and column. */
  mistake(at: Node | number, message: string): WaggleError {
    return new WaggleError("INVALID_ARGUMENT", `${this.placeOf(at)}: ${message}`);
  }

  placeOf(at: Node | number): string {
    const start = typeof at === "number" ? at : at.start;
    const before = this.#text.slice(0, start).split("\n");
    const column = (before.at(-1)?.length ?? 0) + 1;
    return `${shownPath(this.file)}:${before.length}:${column}`;
  }

  #objectOf(node: Node): Node | null {
    switch (node.type) {
      case "ObjectExpression":
        return node;
      case "CallExpression": {
        const [first] = node["arguments"] as readonly Node[];
        return first === undefined ? null : this.#objectOf(first);
      }
      case "TSAsExpression":
      case "TSSatisfiesExpression":
        return this.#objectOf(node["expression"] as Node);
      case "Identifier": {
        const declared = firstNode(
          this.#program,
          (one) =>
            one.type === "VariableDeclarator" && (one["id"] as Node)["name"] === node["name"],
        );
        const value = declared?.["init"] as Node | null | undefined;
        return value ? this.#objectOf(value) : null;
      }
      default:
        return null;
    }
  }
}

/** How a config names the module in a file. */
export function importText(file: string): string {
  return `() => import(${JSON.stringify(file)})`;
}

/** A path as a terminal can open it: relative inside the working folder. */
export function shownPath(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith("..") || path === "" ? file : path;
}

function memberOf(node: Node, key: string | number): Node | null {
  if (node.type === "ArrayExpression" && typeof key === "number") {
    return (node["elements"] as readonly (Node | null)[])[key] ?? null;
  }
  if (node.type !== "ObjectExpression") return null;
  const property = (node["properties"] as readonly Node[]).find((one) => keyOf(one) === key);
  return (property?.["value"] as Node | undefined) ?? null;
}

function keyOf(property: Node): unknown {
  if (property.type !== "Property") return undefined;
  const { name, value } = property["key"] as Node;
  return name ?? value;
}

function isObjectNode(value: unknown): boolean {
  return (value as Node | null)?.type === "ObjectExpression";
}

function bodyOf(program: Node): readonly Node[] {
  return program["body"] as readonly Node[];
}

function firstNode(node: Node, matches: (node: Node) => boolean): Node | null {
  if (matches(node)) return node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      if (!isObject(child) || !("type" in child)) continue;
      const found = firstNode(child as Node, matches);
      if (found !== null) return found;
    }
  }
  return null;
}
