/** Where the assistant practices: tasks, how they are judged, and how they are solved. */
import { defineEnvironment, type EnvironmentSpec } from "@waggle/agent/define";
import {
  DAYS,
  FIRST_HOUR,
  FREE_ROOMS,
  freeRooms,
  LAST_HOUR,
  PROMPT,
  type Reservation,
  RESERVE,
  reserve,
  ROOMS,
} from "../src/rooms.ts";

type FreeRooms = ReturnType<typeof freeRooms>;

const environment: EnvironmentSpec = defineEnvironment({
  name: "meeting-rooms",
  prompt: PROMPT,
  tasks: ({ pick, random }) => {
    const day = pick(DAYS);
    const hour = FIRST_HOUR + Math.floor(random() * (LAST_HOUR - FIRST_HOUR + 1));
    const people = 2 + Math.floor(random() * 12);
    // The hall is always free, so every task can be solved.
    const reservations: Reservation[] = ROOMS.filter(
      ({ room }) => room !== "hall" && random() < 0.4,
    ).map(({ room }) => ({ room, day, hour }));
    const room = smallest(freeRooms(reservations, day, hour), people);
    return {
      request: `Reserve a room for ${people} people on ${day} at ${hour}.`,
      state: { reservations },
      data: { day, hour, people, room, taken: reservations.length },
    };
  },
  tools: {
    free_rooms: {
      ...FREE_ROOMS,
      run: ({ day, hour }, { reservations }) => freeRooms(reservations, day, hour),
    },
    reserve: { ...RESERVE, run: (wanted, { reservations }) => reserve(reservations, wanted) },
  },
  verify: ({ state: { reservations }, data: { day, hour, room, taken } }) => {
    const last = reservations.at(-1);
    const isRight = last?.room === room && last.day === day && last.hour === hour;
    return {
      success: isRight && reservations.length === taken + 1,
      reasons: isRight ? [] : [`wanted the ${room} on ${day} at ${hour}`],
    };
  },
  *demonstrate({ data: { day, hour, people } }) {
    const { value } = yield ["free_rooms", { day, hour }];
    yield ["reserve", { room: smallest(value as FreeRooms, people), day, hour }];
    return "Reserved.";
  },
  nearMiss: ({ data: { day, hour, room } }) => [
    ["Reserved."],
    [
      ["reserve", { room: ROOMS.find((other) => other.room !== room)?.room, day, hour }],
      "Reserved.",
    ],
  ],
});
export default environment;

/** The smallest room that is large enough. */
function smallest(free: FreeRooms, people: number): (typeof ROOMS)[number]["room"] {
  return free.find(({ seats }) => seats >= people)?.room ?? "hall";
}
