/** The rooms and their reservations. Page and practice both use this file. */
export const PROMPT = "You reserve meeting rooms.";
export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday"] as const;
export const ROOMS = [
  { room: "nook", seats: 4 },
  { room: "loft", seats: 8 },
  { room: "hall", seats: 14 },
] as const;
export const FIRST_HOUR = 9;
export const LAST_HOUR = 16;

export type Day = (typeof DAYS)[number];
type Room = (typeof ROOMS)[number]["room"];
export type Reservation = { readonly room: Room; readonly day: Day; readonly hour: number };

/** Rooms that are free at a time, with their seats. */
export function freeRooms(reservations: readonly Reservation[], day: Day, hour: number) {
  return ROOMS.filter(({ room }) => !isTaken(reservations, { room, day, hour }));
}

/** Adds a reservation. */
export function reserve(reservations: Reservation[], wanted: Reservation): string {
  if (isTaken(reservations, wanted)) throw new Error(`the ${wanted.room} is taken then`);
  reservations.push(wanted);
  return "reserved";
}

function isTaken(reservations: readonly Reservation[], wanted: Reservation): boolean {
  return reservations.some(
    ({ room, day, hour }) => room === wanted.room && day === wanted.day && hour === wanted.hour,
  );
}

/** What the model reads about the tools. */
const TIME = {
  day: { enum: DAYS },
  hour: { type: "integer", minimum: FIRST_HOUR, maximum: LAST_HOUR },
} as const;
export const FREE_ROOMS = {
  description: "Rooms that are free.",
  parameters: {
    type: "object",
    properties: TIME,
    required: ["day", "hour"],
    additionalProperties: false,
  },
} as const;
export const RESERVE = {
  description: "Reserve a room.",
  parameters: {
    type: "object",
    properties: { room: { enum: ["nook", "loft", "hall"] }, ...TIME },
    required: ["room", "day", "hour"],
    additionalProperties: false,
  },
} as const;
