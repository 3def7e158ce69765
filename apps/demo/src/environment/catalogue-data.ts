/**
 * The products of the demo shop. A seed's task depends on ids, prices, ratings and stock, so changing a
 * row changes tasks: a changed catalogue needs a new environment name.
 */

/** A product for sale. */
export type Product = {
  readonly id: string;
  /** One to three words, unique. */
  readonly name: string;
  readonly category: string;
  /** Whole euros. */
  readonly price: number;
  /** 1.0 to 5.0, one decimal. */
  readonly rating: number;
  /** Pieces in the warehouse. */
  readonly stock: number;
  readonly attributes: readonly string[];
};

function product(
  id: string,
  name: string,
  category: string,
  price: number,
  rating: number,
  stock: number,
  attributes: readonly string[],
): Product {
  return { id, name, category, price, rating, stock, attributes };
}

/** In order of popularity, which is the order of an unsorted search. */
export const CATALOGUE: readonly Product[] = [
  product("p01", "Nordic Jacket", "jacket", 87, 3.7, 4, ["waterproof", "wool"]),
  product("p02", "City Jacket", "jacket", 169, 4.7, 42, ["black", "warm"]),
  product("p03", "Classic Jacket", "jacket", 64, 3.4, 27, ["waterproof", "wool", "warm"]),
  product("p04", "Storm Jacket", "jacket", 154, 3.5, 40, ["red", "green", "warm"]),
  product("p05", "Trail Jacket", "jacket", 158, 3.6, 46, ["wool", "red", "black", "green"]),
  product("p06", "Trail Jacket Pro", "jacket", 182, 4.1, 30, [
    "waterproof",
    "red",
    "black",
    "green",
  ]),
  product("p07", "Nordic Mug", "mug", 12, 4.6, 13, ["steel", "blue"]),
  product("p08", "Morning Mug", "mug", 19, 3.3, 3, ["red", "white", "large"]),
  product("p09", "Garden Mug", "mug", 10, 4.2, 40, ["glass", "steel", "blue", "large"]),
  product("p10", "City Mug", "mug", 22, 4.1, 15, ["steel", "red", "white", "blue"]),
  product("p11", "Classic Mug", "mug", 26, 4.5, 27, ["glass", "white"]),
  product("p12", "Morning Mug Large", "mug", 20, 3.7, 43, ["glass", "red", "large"]),
  product("p13", "Moon Lamp Mini", "lamp", 75, 4.3, 39, ["white", "warm"]),
  product("p14", "Nordic Lamp", "lamp", 49, 3.8, 10, ["wood", "black", "small", "warm"]),
  product("p15", "Garden Lamp", "lamp", 52, 4.9, 35, ["wood", "black", "small"]),
  product("p16", "Moon Lamp", "lamp", 70, 4.4, 46, ["steel", "warm"]),
  product("p17", "Desk Lamp", "lamp", 25, 3.5, 48, ["wood", "steel", "white", "small"]),
  product("p18", "Classic Lamp", "lamp", 23, 4.0, 39, ["steel", "white", "black"]),
  product("p19", "Trail Backpack", "backpack", 72, 3.9, 15, ["leather", "black"]),
  product("p20", "Sun Backpack", "backpack", 113, 4.8, 22, ["leather", "blue", "small"]),
  product("p21", "City Backpack", "backpack", 95, 4.6, 26, ["waterproof", "black", "blue"]),
  product("p22", "City Backpack Mini", "backpack", 85, 3.6, 15, ["waterproof", "green", "small"]),
  product("p23", "Classic Backpack", "backpack", 50, 4.7, 39, [
    "waterproof",
    "green",
    "blue",
    "small",
  ]),
  product("p24", "Storm Backpack", "backpack", 125, 4.5, 16, ["leather", "black", "green"]),
  product("p25", "City Scarf", "scarf", 51, 4.4, 43, ["red", "blue", "warm"]),
  product("p26", "Sun Scarf", "scarf", 55, 4.3, 27, ["wool", "red", "warm"]),
  product("p27", "Nordic Scarf Long", "scarf", 40, 4.2, 14, ["wool", "cotton", "blue", "white"]),
  product("p28", "Classic Scarf", "scarf", 65, 3.7, 10, ["cotton", "red", "white"]),
  product("p29", "Nordic Scarf", "scarf", 57, 4.1, 3, ["wool", "blue", "warm"]),
  product("p30", "Garden Scarf", "scarf", 32, 4.5, 31, ["cotton", "white"]),
  product("p31", "Storm Hat", "hat", 54, 3.6, 23, ["waterproof", "black", "red", "warm"]),
  product("p32", "Sun Hat Wide", "hat", 41, 3.4, 45, ["cotton", "warm"]),
  product("p33", "Sun Hat", "hat", 10, 4.8, 4, ["wool", "cotton", "waterproof"]),
  product("p34", "Nordic Hat", "hat", 25, 4.7, 13, ["wool", "cotton"]),
  product("p35", "Trail Hat", "hat", 31, 4.1, 29, ["black", "red", "warm"]),
  product("p36", "City Hat", "hat", 14, 3.3, 36, ["wool", "waterproof", "black", "red"]),
  product("p37", "Trail Bottle", "bottle", 42, 4.6, 10, ["green", "white"]),
  product("p38", "Trail Bottle Large", "bottle", 33, 4.8, 22, ["glass", "blue", "green", "large"]),
  product("p39", "City Bottle", "bottle", 44, 4.5, 23, ["steel", "blue", "large"]),
  product("p40", "Morning Bottle", "bottle", 41, 3.7, 29, ["glass", "white"]),
  product("p41", "Sun Bottle", "bottle", 15, 3.6, 32, ["steel", "glass", "white"]),
  product("p42", "Storm Bottle", "bottle", 39, 4.0, 35, ["steel", "blue", "green", "large"]),
  product("p43", "Classic Notebook", "notebook", 19, 3.5, 23, ["red", "small"]),
  product("p44", "Garden Notebook", "notebook", 11, 3.9, 21, ["cotton", "black", "white", "small"]),
  product("p45", "Moon Notebook", "notebook", 6, 4.5, 6, ["leather", "black", "red"]),
  product("p46", "City Notebook", "notebook", 21, 4.6, 13, ["black", "red", "white"]),
  product("p47", "Desk Notebook Mini", "notebook", 26, 3.6, 32, ["leather", "cotton", "small"]),
  product("p48", "Desk Notebook", "notebook", 13, 4.4, 48, ["leather", "cotton", "white"]),
  product("p49", "Nordic Chair", "chair", 199, 4.9, 26, ["wood", "steel", "leather"]),
  product("p50", "Moon Chair", "chair", 89, 3.9, 2, ["green", "waterproof"]),
  product("p51", "Desk Chair", "chair", 230, 4.0, 14, ["wood", "steel", "leather", "white"]),
  product("p52", "Classic Chair", "chair", 65, 4.8, 8, ["wood", "leather"]),
  product("p53", "Garden Chair Pro", "chair", 214, 3.3, 18, [
    "steel",
    "white",
    "green",
    "waterproof",
  ]),
  product("p54", "Garden Chair", "chair", 136, 4.1, 43, ["white", "green", "waterproof"]),
  product("p55", "Morning Blanket", "blanket", 69, 4.6, 26, ["blue", "green", "warm", "large"]),
  product("p56", "Moon Blanket", "blanket", 62, 4.5, 7, ["wool", "warm"]),
  product("p57", "Classic Blanket", "blanket", 77, 4.3, 36, ["wool", "cotton", "large"]),
  product("p58", "Moon Blanket Large", "blanket", 63, 3.8, 42, ["cotton", "blue", "green", "warm"]),
  product("p59", "Garden Blanket", "blanket", 61, 4.8, 31, ["blue", "green", "large"]),
  product("p60", "Nordic Blanket", "blanket", 85, 3.4, 2, ["wool", "cotton"]),
  product("p61", "Classic Umbrella", "umbrella", 14, 4.0, 8, ["steel", "red", "large"]),
  product("p62", "Sun Umbrella", "umbrella", 28, 4.5, 22, ["wood", "red", "large"]),
  product("p63", "Garden Umbrella", "umbrella", 41, 3.3, 14, ["wood", "black", "red"]),
  product("p64", "Storm Umbrella Pro", "umbrella", 30, 4.2, 13, ["steel", "blue", "large"]),
  product("p65", "City Umbrella", "umbrella", 29, 3.4, 4, ["steel", "black", "blue"]),
  product("p66", "Storm Umbrella", "umbrella", 44, 3.8, 32, ["wood", "black", "blue"]),
  product("p67", "City Speaker", "speaker", 65, 3.4, 15, ["wood", "small"]),
  product("p68", "City Speaker Pro", "speaker", 131, 4.7, 24, ["waterproof", "small", "red"]),
  product("p69", "Morning Speaker", "speaker", 132, 4.5, 7, ["wood", "waterproof", "red"]),
  product("p70", "Moon Speaker", "speaker", 88, 4.2, 10, ["wood", "black", "white", "red"]),
  product("p71", "Trail Speaker", "speaker", 207, 3.5, 11, ["waterproof", "black", "white"]),
  product("p72", "Desk Speaker", "speaker", 180, 4.1, 2, ["black", "white", "small"]),
];
