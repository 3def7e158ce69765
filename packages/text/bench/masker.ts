/**
 * What is compared: something that turns a JSON Schema into masks over a vocabulary. Ours and
 * web-xgrammar behind one interface, so that the same code measures both.
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonSchema } from "@waggle/protocol";
import { createGrammarCompiler } from "../src/grammar/compiler.ts";
import type { BenchVocabulary } from "./vocabularies.ts";

export interface Matcher {
  /** @param remaining - tokens that may still be sampled; the peer has no place for it. */
  mask(remaining: number): Promise<ArrayLike<number>> | ArrayLike<number>;
  /** Whether the token was allowed. */
  accept(tokenId: number): boolean;
  dispose(): void;
}

export interface Compiled {
  createMatcher(): Promise<Matcher>;
  dispose(): void;
}

export interface Masker {
  readonly name: string;
  /** @throws where it refuses the schema. */
  compile(schema: JsonSchema): Promise<Compiled>;
  dispose(): void;
}

/** Ours. The vocabulary is read with the first schema. */
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
            // Never null: a schema always masks something.
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

/** As much of web-xgrammar 0.1.27 as is used here. */
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

/** As it is by default: any blanks between values, closed objects. */
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

export const XGRAMMAR_FILE: string = fileURLToPath(import.meta.resolve("@mlc-ai/web-xgrammar"));

/**
 * Its package says `"type": "module"` and holds a script that only a browser's `<script>` or
 * CommonJS can read, so `import` gives nothing in Node: a copy that ends in `.cjs` does.
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
