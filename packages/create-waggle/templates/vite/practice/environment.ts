/** Where the assistant practices: tasks, how they are judged, and how they are solved. */
import { defineEnvironment, type EnvironmentSpec } from "@waggle/agent/define";
import {
  DAYS,
  FREE_ROOMS,
  freeRooms,
  PROMPT,
  type Reservation,
  RESERVE,
  reserve,
  ROOMS,
  TIMES,
} from "../src/rooms.ts";

/**
 * Training has all but the last. People word requests in many ways, so your site needs more of them, such as twelve with
 * five held out.
 */
const WORDINGS = [
  ({ people, day, time }) => `Reserve a room for ${people} people on ${day} at ${time}.`,
  ({ people, day, time }) => `On ${day} at ${time}, reserve a room for ${people} people.`,
  ({ people, day, time }) => `${people} people need a room on ${day} at ${time}.`,
] satisfies ((slots: { people: number; day: string; time: string }) => string)[];

type FreeRooms = ReturnType<typeof freeRooms>;

const environment: EnvironmentSpec = defineEnvironment({
  name: "meeting-rooms",
  prompt: PROMPT,
  tasks: ({ split, pick, ofSplit, random }) => {
    const day = pick(DAYS);
    // No time of a held-out task occurs in training.
    const time = pick(ofSplit(TIMES));
    const people = 2 + Math.floor(random() * 12);
    // The hall is always free, so every task can be solved.
    const reservations: Reservation[] = ROOMS.filter(
      ({ room }) => room !== "hall" && random() < 0.4,
    ).map(({ room }) => ({ room, day, time }));
    const room = smallest(freeRooms(reservations, day, time), people);
    const wording = pick(split === "heldOut" ? WORDINGS : WORDINGS.slice(0, -1));
    return {
      request: wording({ people, day, time }),
      pattern: `wording ${WORDINGS.indexOf(wording) + 1}`,
      values: [time],
      state: { reservations },
      data: { day, time, people, room, taken: reservations.length },
    };
  },
  tools: {
    free_rooms: {
      ...FREE_ROOMS,
      run: ({ day, time }, { reservations }) => freeRooms(reservations, day, time),
    },
    reserve: { ...RESERVE, run: (wanted, { reservations }) => reserve(reservations, wanted) },
  },
  verify: ({ state: { reservations }, data: { day, time, room, taken } }) => {
    const last = reservations.at(-1);
    const isRight = last?.room === room && last.day === day && last.time === time;
    return {
      success: isRight && reservations.length === taken + 1,
      reasons: isRight ? [] : [`wanted the ${room} on ${day} at ${time}`],
    };
  },
  *demonstrate({ data: { day, time, people } }) {
    const { value } = yield ["free_rooms", { day, time }];
    yield ["reserve", { room: smallest(value as FreeRooms, people), day, time }];
    return "Reserved.";
  },
  nearMiss: ({ data: { day, time, room } }) => [
    ["Reserved."],
    [
      ["reserve", { room: ROOMS.find((other) => other.room !== room)?.room, day, time }],
      "Reserved.",
    ],
  ],
});
export default environment;

/** The smallest room that is large enough. */
function smallest(free: FreeRooms, people: number): (typeof ROOMS)[number]["room"] {
  return free.find(({ seats }) => seats >= people)?.room ?? "hall";
}
