/** Where the assistant practices: tasks, how they are judged, and how they are solved. */
import { defineEnvironment } from "@waggle/agent/define";
import { LOOK, look, PLANTS, PROMPT, ROOMS, WATER, water } from "../src/greenhouse.js";

/**
 * Training has all but the last. People word requests in many ways, so your site needs more of them, such as twelve with
 * five held out.
 */
const WORDINGS = [
  (room, milliliters) => `Give ${milliliters} ml to each dry plant in the ${room}.`,
  (room, milliliters) => `Each dry plant in the ${room} gets ${milliliters} ml.`,
  (room, milliliters) => `In the ${room}, give each dry plant ${milliliters} ml.`,
];
const AMOUNTS = Array.from({ length: 90 }, (_, i) => 10 + 10 * i);

export default defineEnvironment({
  name: "greenhouse",
  prompt: PROMPT,
  tasks: ({ split, pick, ofSplit, random }) => {
    const room = pick(ROOMS);
    // No amount of a held-out task occurs in training.
    const milliliters = pick(ofSplit(AMOUNTS));
    const wording = pick(split === "heldOut" ? WORDINGS : WORDINGS.slice(0, -1));
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
      request: wording(room, milliliters),
      pattern: `wording ${WORDINGS.indexOf(wording) + 1}`,
      values: [milliliters],
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
