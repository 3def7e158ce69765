/**
 * `memory-bank`: an external memory that a policy changes by operations. The reward of an operation is that of
 * the later answer that uses it. Unlike cases, entries have no value.
 *
 * Source: Yan et al. 2025, "Memory-R1", arXiv:2508.19828 (add, update, delete, none).
 */
import { wordOverlap } from "./words.ts";

export type MemoryEntry = { readonly id: string; readonly text: string };

/** Notes that a policy writes and edits itself. */
export type MemoryBank = { readonly entries: readonly MemoryEntry[]; readonly written: number };

export type MemoryOperation =
  | { readonly operation: "add"; readonly text: string }
  | { readonly operation: "update"; readonly id: string; readonly text: string }
  | { readonly operation: "delete"; readonly id: string }
  | { readonly operation: "none" };

/** An empty memory bank. */
export function memoryBank(): MemoryBank {
  return { entries: [], written: 0 };
}

/** Applies an operation, and says whether it was possible; a policy's mistake is data. */
export function operateMemory(
  bank: MemoryBank,
  operation: MemoryOperation,
): { readonly bank: MemoryBank; readonly done: boolean } {
  switch (operation.operation) {
    case "none":
      return { bank, done: true };
    case "add": {
      const entry = { id: `m${bank.written}`, text: operation.text };
      return {
        bank: { entries: [...bank.entries, entry], written: bank.written + 1 },
        done: true,
      };
    }
    case "update":
    case "delete": {
      const done = bank.entries.some(({ id }) => id === operation.id);
      if (!done) return { bank, done };
      const entries =
        operation.operation === "delete"
          ? bank.entries.filter(({ id }) => id !== operation.id)
          : bank.entries.map((entry) =>
              entry.id === operation.id ? { ...entry, text: operation.text } : entry,
            );
      return { bank: { ...bank, entries }, done };
    }
  }
}

/** The `count` entries with the most words in common with a query, newer first among equals. */
export function recallMemory(bank: MemoryBank, query: string, count: number): MemoryEntry[] {
  return bank.entries
    .map((entry, at) => ({ entry, at, shared: wordOverlap(query, entry.text).shared.length }))
    .filter(({ shared }) => shared > 0)
    .toSorted((a, b) => b.shared - a.shared || b.at - a.at)
    .slice(0, count)
    .map(({ entry }) => entry);
}
