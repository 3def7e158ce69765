/** The Prompt API's draft as IDL (npm package @webref/idl), and checks of a `LanguageModel` against it. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parse } from "webidl2";
import type { FullLanguageModelConstructor } from "@waggle/runtime/prompt-api";

const require = createRequire(import.meta.url);
export const DRAFT_VERSION = (require("@webref/idl/package.json") as { version: string }).version;

const definitions = parse(readFileSync(require.resolve("@webref/idl/prompt-api.idl"), "utf8"));

type Definition = (typeof definitions)[number];
type Dictionary = Extract<Definition, { type: "dictionary" }>;

/** Name of every member: of interfaces and dictionaries, and the values of enumerations. */
export function draftMembers(): string[] {
  return definitions.flatMap((definition): string[] => {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the others have no members
    switch (definition.type) {
      case "interface":
      case "dictionary":
        return definition.members.map(
          (member) => `${definition.name}.${(member as { name: string }).name}`,
        );
      case "enum":
        return definition.values.map(({ value }) => `${definition.name} "${value}"`);
      case "includes":
        return [`${definition.target}.destroy`];
      default:
        return [];
    }
  });
}

/** Names of a dictionary's members in the order in which Web IDL reads them. */
export function draftOrder(name: string): string[] {
  const found = definitions.find(
    (each): each is Dictionary => each.type === "dictionary" && each.name === name,
  );
  if (found === undefined) throw new Error(`the draft has no dictionary ${name}`);
  const inherited = found.inheritance === null ? [] : draftOrder(found.inheritance);
  return [...inherited, ...found.members.map((member) => member.name).toSorted()];
}

/** Differences between an interface object and the draft's interface. */
export function interfaceDifferences(
  model: FullLanguageModelConstructor & { readonly prototype: object },
): string[] {
  const found = definitions.find(
    (each) => each.type === "interface" && each.name === "LanguageModel",
  );
  if (found?.type !== "interface") throw new Error("the draft has no LanguageModel");
  return found.members.flatMap((member): string[] => {
    if (member.type !== "operation" && member.type !== "attribute") return [];
    const { name = "" } = member as { name?: string };
    const owner = member.special === "static" ? model : model.prototype;
    const descriptor = Object.getOwnPropertyDescriptor(owner, name);
    if (descriptor === undefined) return [`${name} is missing`];
    const isRight =
      member.type === "operation"
        ? (descriptor.value as Function).length ===
          member.arguments.filter(({ optional }) => !optional).length
        : descriptor.get !== undefined && (descriptor.set === undefined) === member.readonly;
    return isRight && descriptor.enumerable === true ? [] : [`${name} has another shape`];
  });
}

/** Calls with a dictionary that records which members are read. @returns their names in order. */
export async function readMembers(call: (options: never) => unknown): Promise<string[]> {
  const read: string[] = [];
  const spy = new Proxy(
    {},
    {
      get: (_, key) => {
        read.push(String(key));
        return undefined;
      },
    },
  );
  await Promise.resolve(call(spy as never)).catch(() => undefined);
  return read;
}
