/**
 * A turn with a call is split after the tool's name, at the exact token; a turn without a call is
 * not split.
 */
import { callDivider } from "@waggle/agent";
import { demonstratedRollout } from "@waggle/agent/environments";
import { environmentNamed } from "@waggle/environments";
import { beforeAll, expect, test } from "vitest";
import { seededRandom } from "@waggle/protocol";
import { type ActedEnvironment, actedEnvironment } from "../expectations/recipe-update.fixture.ts";
import { turnOwners } from "./divided-calls.ts";

let acted: ActedEnvironment;
beforeAll(async () => {
  acted = await actedEnvironment(environmentNamed("library"));
});

test("the first part of a call names the tool, and the second part contains its arguments", async () => {
  const { spec, format } = acted;
  const divider = callDivider(format, { names: "selector", fills: (tool) => `of-${tool}` });
  let calls = 0;
  for (let seed = 0; seed < 20; seed += 1) {
    const task = spec.reference(seed * 911, "train", seed % spec.levels);
    const options = { random: seededRandom(seed), mistakes: 0.3, contextLength: 1024 };
    const { record: trajectory } = await demonstratedRollout(spec, task, format, options);
    const { turnRoles, turnFills } = turnOwners({ adapters: new Map(), divider }, trajectory);
    expect(new Set(turnRoles)).toEqual(new Set(["selector"]));
    for (const [i, { segmentId, toolCalls }] of trajectory.turns.entries()) {
      const said = trajectory.segments.find(({ id }) => id === segmentId)?.tokenIds ?? [];
      const division = turnFills?.[i] ?? null;
      const [call] = toolCalls;
      expect(division === null).toBe(call === undefined);
      if (division === null || call === undefined) continue;
      calls += 1;
      expect(division.role).toBe(`of-${call.name}`);
      const before = format.decodeAssistant(said.slice(0, division.after));
      expect(before).toMatch(new RegExp(`"name":\\s*"${call.name}"[^a-z]*$`));
      expect(format.decodeAssistant(said.slice(0, division.after - 1))).not.toContain(
        `"${call.name}"`,
      );
      const after = format.decodeAssistant(said.slice(division.after));
      for (const given of Object.values(call.arguments)) expect(after).toContain(String(given));
    }
  }
  expect(calls).toBeGreaterThan(20);
  // Partial text: no name, an unterminated name, text without a call.
  for (const words of ["", "find", '{"name":"fi', '{"tool":"find"}']) {
    expect(divider.at(format.encodeAssistant(words).slice(0, -1))).toBeNull();
  }
});
