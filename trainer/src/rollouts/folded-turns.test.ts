/**
 * The role that keeps a memory sees one line at a time; the role that answers sees the memory as it
 * was kept.
 */
import { environmentNamed } from "@waggle/environments";
import type { JudgedTrajectory } from "@waggle/learning";
import { FULL_SUPPORT } from "@waggle/protocol";
import { beforeAll, expect, test } from "vitest";
import { type ActedEnvironment, actedEnvironment } from "../expectations/recipe-update.fixture.ts";
import { foldedTurns } from "./folded-turns.ts";

const ROLES = { manager: "keeper", answerer: "teller" };
const options = { sampling: FULL_SUPPORT, staleness: 0 };

let diary: ActedEnvironment;
beforeAll(async () => {
  diary = await actedEnvironment(environmentNamed("diary"));
});

function rollout(acted: ActedEnvironment, seed: number): Promise<JudgedTrajectory[]> {
  const { signal } = new AbortController();
  const task = acted.spec.reference(seed * 911, "train", seed % acted.spec.levels);
  return foldedTurns({ managed: ROLES }, { ...acted, signal }, { ...options, seed }, task);
}

/** The user message of a turn, without tools and system message. */
function givenTo({ record: trajectory }: JudgedTrajectory): string {
  const given = trajectory.segments.filter(({ kind }) => kind === "given");
  const text = given.map(({ tokenIds }) => diary.format.decodeAssistant(tokenIds)).join("");
  return text.slice(text.indexOf("Memory: "));
}

test("each turn has only its own message, and the role follows from it", async () => {
  let right = 0;
  let forgotten = 0;
  for (let seed = 0; seed < 80; seed += 1) {
    const turns = await rollout(diary, seed);
    const [teller, ...others] = turns.filter(({ role }) => role === "teller");
    expect(others).toEqual([]);
    for (const trajectory of turns) {
      const given = givenTo(trajectory);
      expect(given.match(/Memory: /g)).toHaveLength(1);
      expect(given.includes("Asked: ")).toBe(trajectory.role === "teller");
      expect(given.includes("Said: ")).toBe(trajectory.role === "keeper");
      expect(trajectory.verification).toBe(turns[0]?.verification);
      expect(trajectory.joint).toBe(turns[0]?.id);
    }
    if (teller === undefined) throw new Error("nobody answered");
    const { answer, memory } = teller.verification.parts;
    expect(givenTo(teller)).toContain(String(memory).split(", ")[0]);
    right += teller.verification.success ? 1 : 0;
    // Facts that were not kept cannot be used.
    const facts = String(answer)
      .split(" ")
      .filter((fact) => fact !== "nothing");
    if (facts.some((fact) => !String(memory).includes(fact))) forgotten += 1;
  }
  expect(right).toBeGreaterThan(10);
  expect(forgotten).toBeGreaterThan(2);
  expect(right + forgotten).toBeLessThanOrEqual(80);
});

test("an environment without a memory is refused by name", async () => {
  const calculator = await actedEnvironment(environmentNamed("calculator"));
  await expect(rollout(calculator, 1)).rejects.toThrow(
    /calculator has no memory.*run the recipe in diary/,
  );
});
