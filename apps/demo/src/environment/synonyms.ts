/** Other words that people use for the shop's categories and attributes. Each leads to exactly one. */

/** Singular words for a category, whose plural has an s, and adjectives that go before a category. */
export const SYNONYMS: {
  readonly [of in "categories" | "attributes"]: { readonly [word: string]: readonly string[] };
} = {
  categories: {
    jacket: ["coat", "parka", "anorak", "windbreaker", "windcheater", "cagoule", "overcoat"],
    mug: ["cup", "coffee cup", "teacup", "coffee mug", "tea mug", "beaker"],
    lamp: ["light", "table lamp", "bedside lamp", "reading lamp", "night light", "bedside light"],
    backpack: ["rucksack", "knapsack", "back pack", "school bag", "daypack", "bookbag"],
    scarf: ["neck scarf", "winter scarf", "neck warmer", "muffler", "shawl"],
    hat: ["cap", "beanie", "bobble hat", "headgear"],
    bottle: ["flask", "water bottle", "drinking bottle", "drinks bottle"],
    notebook: ["notepad", "jotter", "journal", "diary", "exercise book", "writing pad"],
    chair: ["seat", "armchair", "office chair", "kitchen chair", "dining chair"],
    blanket: ["throw", "cover", "bedspread", "picnic blanket", "sofa blanket"],
    umbrella: ["brolly", "parasol", "rain umbrella"],
    speaker: ["loudspeaker", "sound box", "boombox"],
  },
  attributes: {
    waterproof: ["water resistant", "rainproof", "watertight", "water-repellent", "weatherproof"],
    wool: ["woollen", "woolen", "woolly"],
    cotton: ["pure cotton", "100% cotton"],
    leather: ["real leather", "genuine leather"],
    wood: ["wooden", "timber"],
    steel: ["stainless steel", "metal", "metallic", "stainless"],
    warm: ["cosy", "cozy", "toasty", "snug"],
    small: ["little", "tiny", "compact", "petite", "smallish"],
    large: ["big", "huge", "oversized", "roomy", "extra large"],
    black: ["jet-black", "pitch-black"],
    white: ["snow-white", "pure white"],
    red: ["bright red", "crimson", "scarlet"],
    green: ["dark green", "emerald"],
    blue: ["navy", "navy blue", "sky blue"],
  },
};
