/**
 * A common interface over our compiler and web-xgrammar, so that the same code measures both. Each turns a
 * JSON Schema into masks over a vocabulary.
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonSchema } from "@waggle/protocol";
import { createGrammarCompiler } from "../src/grammar/compiler.ts";
import type { BenchVocabulary } from "./vocabularies.ts";

/** The state of one generation. */
export interface Matcher {
  /** @param remaining - tokens that may still be sampled. web-xgrammar ignores it. */
  mask(remaining: number): Promise<ArrayLike<number>> | ArrayLike<number>;
  /** Accepts a token. Returns whether it was allowed. */
  accept(tokenId: number): boolean;
  dispose(): void;
}

/** A schema compiled by one of the two. */
export interface Compiled {
  createMatcher(): Promise<Matcher>;
  dispose(): void;
}

/** One of the two compilers. */
export interface Masker {
  readonly name: string;
  /** @throws if it refuses the schema. */
  compile(schema: JsonSchema): Promise<Compiled>;
  dispose(): void;
}

/** Opens our compiler. It reads the vocabulary when it compiles the first grammar. */
export async function openOurs(vocabulary: BenchVocabulary): Promise<Masker> {
  const compiler = createGrammarCompiler(vocabulary.files);
  await compiler.compile({ kind: "json" });
  return {
    name: "waggle",
    compile: async (schema) => {
      const compiled = await compiler.compile({ kind: "json-schema", schema });
      return {
        createMatcher: () => {
          const matcher = compiled.createMatcher();
          return Promise.resolve({
            // A schema always constrains something, so the mask is never null.
            mask: (remaining: number) => matcher.nextMask(remaining) ?? [],
            accept: (tokenId: number) => {
              try {
                matcher.accept(tokenId);
                return true;
              } catch {
                return false;
              }
            },
            dispose: () => matcher.dispose(),
          });
        },
        dispose: () => undefined,
      };
    },
    dispose: () => compiler.dispose(),
  };
}

/** The part of web-xgrammar 0.1.27 that is used here. */
type Handle = { dispose(): void };
type XGrammar = {
  readonly TokenizerInfo: {
    createTokenizerInfo(
      tokens: readonly string[],
      kind: "byte_level",
      prependSpace: boolean,
      size: number,
      stopTokenIds: readonly number[],
    ): Promise<Handle>;
  };
  readonly GrammarCompiler: {
    createGrammarCompiler(
      info: Handle,
      keepsCompiled: boolean,
    ): Promise<
      Handle & {
        compileJSONSchema(schema: string): Promise<Handle>;
      }
    >;
  };
  readonly GrammarMatcher: {
    createGrammarMatcher(grammar: Handle): Promise<
      Handle & {
        getNextTokenBitmask(): Promise<Int32Array>;
        acceptToken(tokenId: number): boolean;
      }
    >;
  };
};

/** Opens web-xgrammar with its defaults: any whitespace between values, closed objects. */
export async function openXGrammar(vocabulary: BenchVocabulary): Promise<Masker> {
  const { TokenizerInfo, GrammarCompiler, GrammarMatcher } = loadXGrammar();
  const { tokens, stopTokenIds } = vocabulary;
  const info = await TokenizerInfo.createTokenizerInfo(
    tokens,
    "byte_level",
    false,
    tokens.length,
    stopTokenIds,
  );
  const compiler = await GrammarCompiler.createGrammarCompiler(info, false);
  return {
    name: "web-xgrammar 0.1.27",
    compile: async (schema) => {
      const compiled = await compiler.compileJSONSchema(JSON.stringify(schema));
      return {
        createMatcher: async () => {
          const matcher = await GrammarMatcher.createGrammarMatcher(compiled);
          return {
            mask: () => matcher.getNextTokenBitmask(),
            accept: (tokenId) => matcher.acceptToken(tokenId),
            dispose: () => matcher.dispose(),
          };
        },
        dispose: () => compiled.dispose(),
      };
    },
    dispose: () => {
      compiler.dispose();
      info.dispose();
    },
  };
}

/** The script of web-xgrammar. */
export const XGRAMMAR_FILE: string = fileURLToPath(import.meta.resolve("@mlc-ai/web-xgrammar"));

/**
 * Loads web-xgrammar from a copy that ends in `.cjs`. The package declares `"type": "module"` but contains a
 * script for browsers or CommonJS, so that `import` gives nothing in Node.
 */
function loadXGrammar(): XGrammar {
  const folder = mkdtempSync(join(tmpdir(), "xgrammar-"));
  try {
    const copy = join(folder, "index.cjs");
    copyFileSync(XGRAMMAR_FILE, copy);
    return createRequire(import.meta.url)(copy) as XGrammar;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
