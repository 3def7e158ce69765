/** The plants, and what can be done with them. Page and practice both use this file. */
export const PROMPT = "You look after the plants of a greenhouse.";
export const ROOMS = ["hall", "kitchen", "office", "terrace", "tower", "cellar"];
export const PLANTS = ["fern", "ivy", "cactus", "palm", "fig", "moss", "lily", "mint"];

/** Plants of a room. */
export function look(plants, room) {
  return plants.filter((each) => each.room === room).map(({ plant, soil }) => ({ plant, soil }));
}

/** Waters a plant. */
export function water(plants, plant, milliliters) {
  const found = plants.find((each) => each.plant === plant);
  if (found === undefined) throw new Error(`there is no ${plant}`);
  found.soil = "wet";
  found.milliliters += milliliters;
  return "done";
}

/** What the model reads about the tools. */
export const LOOK = {
  description: "Plants in a room.",
  parameters: {
    type: "object",
    properties: { room: { enum: ROOMS } },
    required: ["room"],
    additionalProperties: false,
  },
};
export const WATER = {
  description: "Water a plant.",
  parameters: {
    type: "object",
    properties: {
      plant: { enum: PLANTS },
      milliliters: { type: "integer", minimum: 1, maximum: 1000 },
    },
    required: ["plant", "milliliters"],
    additionalProperties: false,
  },
};
