/** What the assistant can do in the page. */
import { definePageTools } from "@waggle/site";
import { LOOK, look, WATER, water } from "./greenhouse.js";

let plants = [
  { plant: "fern", room: "hall", soil: "dry", milliliters: 0 },
  { plant: "ivy", room: "hall", soil: "wet", milliliters: 0 },
  { plant: "mint", room: "kitchen", soil: "dry", milliliters: 0 },
  { plant: "palm", room: "office", soil: "wet", milliliters: 0 },
];
const listeners = new Set();

/** Calls the listener with the plants, now and after each change. */
export function watchPlants(listener) {
  listeners.add(listener);
  listener(plants);
}

function changed(result) {
  for (const listener of listeners) listener(plants);
  return result;
}

/** Begins with the plants of a practice task. `waggle check` compares page and practice with it. */
export function start(state) {
  plants = structuredClone(state);
  changed();
}

export default definePageTools({
  look: {
    ...LOOK,
    run: ({ room }) => look(plants, room),
    label: {
      en: "Looking around",
      de: "Die Pflanzen werden angesehen",
      fr: "Coup d’œil aux plantes",
    },
  },
  water: {
    ...WATER,
    run: ({ plant, milliliters }) => changed(water(plants, plant, milliliters)),
    changes: true,
    label: ({ plant }) => ({
      en: `Watering: ${String(plant)}`,
      de: `Gießen: ${String(plant)}`,
      fr: `Arrosage : ${String(plant)}`,
    }),
  },
});
