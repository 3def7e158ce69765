/**
 * A base for the bandit that trains in seconds: it pulls the best lever two times in three. Tests
 * only.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environmentNamed } from "@waggle/environments";
import type { BaseModel } from "../model/base-model.ts";
import { ENVIRONMENT_BASE, environmentBase } from "./environment-base.ts";

let base: Promise<BaseModel> | null = null;

/** The base, which each test process trains once. */
export function banditBase(): Promise<BaseModel> {
  return (base ??= train());
}

async function train(): Promise<BaseModel> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-bandit-"));
  const recipe = { ...ENVIRONMENT_BASE, steps: 300, width: 32, layers: 2, mistakes: 0.5 };
  const { signal } = new AbortController();
  try {
    return await environmentBase(environmentNamed("bandit"), join(folder, "base"), recipe, {
      onProgress: () => {},
      signal,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
