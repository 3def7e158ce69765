/**
 * Rooms in a row, with a key in one and a locked door in another. It takes many steps to the only reward,
 * which is paid when the door opens. A room's contents are visible only from inside.
 */
import { pick, integerBelow } from "./draw.ts";
import { type Task, type TaskReference, WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { drawInstance } from "./environment-task.ts";
import { type RunnableTools, tool } from "./runnable-tool.ts";
import { type Demonstrator, leveledReferences, type EnvironmentSpec } from "./environment-spec.ts";
import { createToolEnvironment } from "./tool-environment.ts";

const NAME = "key-door";
/** Number of rooms, by level. */
const ROOMS = [3, 4, 5] as const;

type KeyDoorInstance = {
  readonly rooms: number;
  readonly start: number;
  readonly key: number;
  readonly door: number;
  /** Words on the wall. They distinguish tasks with equal rooms. */
  readonly sign: string;
};

type House = { readonly instance: KeyDoorInstance; room: number; hasKey: boolean; isOpen: boolean };

const SIGNS = ["oak", "elm", "fir", "ash", "yew", "box", "bay", "fig"] as const;

function instance(reference: TaskReference): KeyDoorInstance {
  const rooms = ROOMS[reference.seed % ROOMS.length] as number;
  return drawInstance(
    NAME,
    reference,
    (random) => {
      const key = integerBelow(random, rooms);
      const door = (key + 1 + integerBelow(random, rooms - 1)) % rooms;
      const sign = `${pick(random, SIGNS)} ${pick(random, SIGNS)}`;
      return { rooms, start: integerBelow(random, rooms), key, door, sign };
    },
    ({ start, key, door, sign }) => `${start}/${key}/${door}/${sign}`,
  );
}

/** The visible contents of the current room: exits, key and door. */
function view({ instance: { rooms, key, door }, room, hasKey, isOpen }: House): string {
  const seen = [
    ...(room > 0 ? ["left"] : []),
    ...(room < rooms - 1 ? ["right"] : []),
    ...(room === key && !hasKey ? ["key"] : []),
    ...(room === door ? [isOpen ? "open door" : "door"] : []),
  ];
  return seen.join(" ");
}

const TOOLS: RunnableTools<House> = {
  go: tool({
    description: "Go left or right.",
    schema: z.strictObject({ to: z.string().max(8) }),
    run: ({ to }, house: House) => {
      const next = house.room + (to === "left" ? -1 : to === "right" ? 1 : 0);
      if (next === house.room || next < 0 || next >= house.instance.rooms) {
        throw new WaggleError("TOOL_FAILED", "no way");
      }
      house.room = next;
      return view(house);
    },
  }),
  take: tool({
    description: "Take the key.",
    schema: z.strictObject({}),
    run: (_, house: House) => {
      if (house.room !== house.instance.key || house.hasKey) {
        throw new WaggleError("TOOL_FAILED", "no key");
      }
      house.hasKey = true;
      return view(house);
    },
  }),
  open: tool({
    description: "Open the door with the key.",
    schema: z.strictObject({}),
    run: (_, house: House) => {
      if (house.room !== house.instance.door) throw new WaggleError("TOOL_FAILED", "no door");
      if (!house.hasKey) throw new WaggleError("TOOL_FAILED", "locked");
      house.isOpen = true;
      return view(house);
    },
  }),
};

function houseOf(reference: TaskReference): House {
  const drawn = instance(reference);
  return { instance: drawn, room: drawn.start, hasKey: false, isOpen: false };
}

function task(reference: TaskReference): Task {
  const house = houseOf(reference);
  return {
    ...reference,
    kind: `rooms-${house.instance.rooms}`,
    template: "0",
    system: "Open the door.",
    request: `${house.instance.sign}: ${view(house)}`,
  };
}

/** Walks to one end and then to the other, takes the key and opens the door. */
function demonstrator(
  reference: TaskReference,
  random: () => number,
  mistakes: number,
): Demonstrator {
  let seen = view(houseOf(reference));
  let hasKey = false;
  let direction: "left" | "right" = "left";
  return (observation) => {
    const result = observation?.toolResults[0];
    if (result?.ok === true) seen = String(result.value);
    const call = (name: string, args: { to?: string } = {}) => ({
      text: "",
      calls: [{ name, arguments: args }],
    });
    // Mistakes: give up, turn around, or try the door without the key.
    if (random() < mistakes / 12) return { text: "I give up.", calls: [] };
    if (seen.includes("open door")) return { text: "Done.", calls: [] };
    if (seen.includes("key") && random() >= mistakes / 2) {
      hasKey = true;
      return call("take");
    }
    if (seen.includes("door") && (hasKey || random() < mistakes / 4)) return call("open");
    if (!seen.includes(direction) || random() < mistakes / 4) {
      direction = direction === "left" ? "right" : "left";
    }
    if (!seen.includes(direction)) direction = direction === "left" ? "right" : "left";
    return call("go", { to: direction });
  };
}

/** Levels are 3, 4 and 5 rooms. */
export const KEY_DOOR: EnvironmentSpec = {
  ...leveledReferences(NAME, ROOMS.length),
  features: ["long-path"],
  maxTurns: 18,
  task,
  create: (reference) => {
    const house = houseOf(reference);
    return {
      environment: createToolEnvironment({
        task: task(reference),
        tools: TOOLS,
        state: house,
        afterCalls: ({ isOpen }) => isOpen,
      }),
      judge: () => ({
        reward: house.isOpen ? 1 : 0,
        success: house.isOpen,
        parts: { room: house.room, hasKey: house.hasKey },
      }),
    };
  },
  demonstrator,
};
