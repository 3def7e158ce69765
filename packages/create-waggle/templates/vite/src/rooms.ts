/** The rooms and their reservations. Page and practice both use this file. */
export const PROMPT = "You reserve meeting rooms.";
export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday"] as const;
export const ROOMS = [
  { room: "nook", seats: 4 },
  { room: "loft", seats: 8 },
  { room: "hall", seats: 14 },
] as const;
/** From 09:00 to 16:55, every five minutes. */
export const TIMES = Array.from({ length: 96 }, (_, i) => {
  const minutes = 9 * 60 + 5 * i;
  return [Math.floor(minutes / 60), minutes % 60].map((n) => String(n).padStart(2, "0")).join(":");
});

export type Day = (typeof DAYS)[number];
type Room = (typeof ROOMS)[number]["room"];
export type Reservation = { readonly room: Room; readonly day: Day; readonly time: string };

/** Rooms that are free at a time, with their seats. */
export function freeRooms(reservations: readonly Reservation[], day: Day, time: string) {
  return ROOMS.filter(({ room }) => !isTaken(reservations, { room, day, time }));
}

/** Adds a reservation. */
export function reserve(reservations: Reservation[], wanted: Reservation): string {
  if (isTaken(reservations, wanted)) throw new Error(`the ${wanted.room} is taken then`);
  reservations.push(wanted);
  return "reserved";
}

function isTaken(reservations: readonly Reservation[], wanted: Reservation): boolean {
  return reservations.some(
    ({ room, day, time }) => room === wanted.room && day === wanted.day && time === wanted.time,
  );
}

/** What the model reads about the tools. */
const TIME = {
  day: { enum: DAYS },
  time: { type: "string", pattern: "^[0-9]{2}:[0-9]{2}$" },
} as const;
export const FREE_ROOMS = {
  description: "Rooms that are free.",
  parameters: {
    type: "object",
    properties: TIME,
    required: ["day", "time"],
    additionalProperties: false,
  },
} as const;
export const RESERVE = {
  description: "Reserve a room.",
  parameters: {
    type: "object",
    properties: { room: { enum: ["nook", "loft", "hall"] }, ...TIME },
    required: ["room", "day", "time"],
    additionalProperties: false,
  },
} as const;
