/** What the assistant can do in the page. */
import { definePageTools } from "@waggle/site";
import { FREE_ROOMS, freeRooms, type Reservation, RESERVE, reserve } from "./rooms.ts";

let reservations: Reservation[] = [{ room: "nook", day: "monday", time: "10:00" }];
const listeners = new Set<(reservations: readonly Reservation[]) => void>();

/** Calls the listener with the reservations, now and after each change. */
export function watchReservations(listener: (reservations: readonly Reservation[]) => void): void {
  listeners.add(listener);
  listener(reservations);
}

function tellListeners(): void {
  for (const listener of listeners) listener(reservations);
}

/** Begins with the reservations of a practice task. `waggle check` compares page and practice with it. */
export function start(state: { readonly reservations: readonly Reservation[] }): void {
  reservations = structuredClone([...state.reservations]);
  tellListeners();
}

export default definePageTools({
  free_rooms: {
    ...FREE_ROOMS,
    run: ({ day, time }) => freeRooms(reservations, day, time),
    label: {
      en: "Looking for free rooms",
      de: "Freie Räume werden gesucht",
      fr: "Recherche de salles libres",
    },
  },
  reserve: {
    ...RESERVE,
    run: (wanted) => {
      const result = reserve(reservations, wanted);
      tellListeners();
      return result;
    },
    changes: true,
    label: ({ room }) => ({
      en: `Reserving: ${String(room)}`,
      de: `Reservieren: ${String(room)}`,
      fr: `Réservation : ${String(room)}`,
    }),
  },
});
