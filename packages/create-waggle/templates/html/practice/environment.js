/** Where the assistant practices: tasks, how they are judged, and how they are solved. */
import { defineEnvironment } from "@waggle/agent/define";
import { LOOK, look, PLANTS, PROMPT, ROOMS, WATER, water } from "../src/greenhouse.js";

export default defineEnvironment({
  name: "greenhouse",
  prompt: PROMPT,
  tasks: ({ pick, random }) => {
    const room = pick(ROOMS);
    const milliliters = 25 * (1 + Math.floor(random() * 20));
    const shuffled = PLANTS.map((plant) => ({ plant, order: random() }));
    shuffled.sort((a, b) => a.order - b.order);
    // Three plants are in the room, and the first of them is always dry.
    const state = shuffled.map(({ plant }, index) => ({
      plant,
      room: index < 3 ? room : pick(ROOMS.filter((other) => other !== room)),
      soil: index === 0 || random() < 0.4 ? "dry" : "wet",
      milliliters: 0,
    }));
    const dry = state.filter((each) => each.room === room && each.soil === "dry");
    return {
      request: `Give ${milliliters} ml to each dry plant in the ${room}.`,
      state,
      data: { room, milliliters, dry: dry.map(({ plant }) => plant) },
    };
  },
  tools: {
    look: { ...LOOK, run: ({ room }, state) => look(state, room) },
    water: { ...WATER, run: ({ plant, milliliters }, state) => water(state, plant, milliliters) },
  },
  verify: ({ state, data: { dry, milliliters } }) => {
    const wrong = state.find(
      (each) => each.milliliters !== (dry.includes(each.plant) ? milliliters : 0),
    );
    return {
      success: wrong === undefined,
      reasons: wrong === undefined ? [] : [`${wrong.plant} got ${wrong.milliliters} ml`],
    };
  },
  *demonstrate({ data: { room, milliliters } }) {
    const { value: plants } = yield ["look", { room }];
    for (const { plant, soil } of plants) {
      if (soil === "dry") yield ["water", { plant, milliliters }];
    }
    return "Watered.";
  },
  nearMiss: ({ data: { room, milliliters, dry } }) => [
    [["look", { room }], "Watered."],
    [["water", { plant: dry[0], milliliters: milliliters + 50 }], "Watered."],
  ],
});
