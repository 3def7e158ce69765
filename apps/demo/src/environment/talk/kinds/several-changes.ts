/**
 * Several changes of the cart in one message: products by name, by description or by rank, each with its number, and lines
 * of the cart to take out, in one order or the other.
 */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import type { Product } from "../../catalogue-data.ts";
import { added, removed, series } from "../answers.ts";
import { addCall, type Assistant, type Call, type Hit, removeCall, shown } from "../assistant.ts";
import { type Line, linesOf, next, singleLines, withPieces } from "../scene.ts";
import type { DrawTurn, Fact, Scene, TurnsOf } from "../talk-turn.ts";
import { categoryWords, countOf, drawDescription, drawProducts, meant, nameOf } from "../values.ts";
import { ADDING, REMOVING } from "../wordings/index.ts";
import { bestOf } from "./range-questions.ts";
import { SUPERLATIVES } from "./ranks.ts";

/** Share of the products that are named by their rank, such as "the cheapest red mug". */
const RANKED_SHARE = 0.3;
/** Share of the products with one piece. */
const ONE_SHARE = 0.5;
/** Share of the lines to take out that are named by their category, where that is clear. */
const BY_CATEGORY_SHARE = 0.5;

/** A product to add, how a search finds it, and how it is said. */
type Addition = {
  readonly item: Product;
  readonly count: number;
  readonly call: Call;
  /** Whether the search shows no price. */
  readonly isUnpriced: boolean;
  readonly said: string;
};

/** Pieces as people say them: `{name}` is without an article. */
const ONE: readonly string[] = [
  "a {name}",
  "the {name}",
  "one {name}",
  "{name}",
  "1x {name}",
  "1 {name}",
  "a single {name}",
];
const SEVERAL: readonly string[] = [
  "{n} {name}s",
  "{n} {name}",
  "{n} of the {name}",
  "{n}x {name}",
  "{name} x{n}",
  "{name} times {n}",
  "{name}, {n} of them",
  "{n} pieces of the {name}",
  "the {name} {n} times",
  "{name} ({n})",
  "{name}: {n}",
];
const NAMED_NUMBERS: { readonly [n: number]: readonly string[] } = {
  2: [
    "a couple of {name}s",
    "a pair of {name}s",
    "the {name} twice",
    "both a {name} for me and a {name} for my friend",
  ],
  6: ["half a dozen {name}s"],
  12: ["a dozen {name}s"],
};

/** A number of pieces that the shop has. */
function drawCount({ stock }: Product, random: RandomSource): number {
  if (random() < ONE_SHARE) return 1;
  const wanted = random() < 0.2 ? pick(random, [6, 8, 10, 12]) : 2 + Math.floor(random() * 4);
  return Math.max(1, Math.min(wanted, stock));
}

function pieces(name: string, count: number, random: RandomSource): string {
  const forms = count === 1 ? ONE : [...SEVERAL, ...(NAMED_NUMBERS[count] ?? [])];
  return pick(random, forms).replaceAll("{name}", name).replace("{n}", countOf(count, random));
}

/** A product that is not in the cart, by name or description. */
function drawNamed(random: RandomSource, scene: Scene): Addition {
  const [drawn] = drawProducts(random, 1, scene) as [Product];
  const { item, said } = meant(drawn, random, scene.goods);
  const count = drawCount(item, random);
  const call: Call = ["search", { query: item.query ?? item.name.toLowerCase() }];
  return { item, count, call, isUnpriced: false, said: pieces(said, count, random) };
}

/** The cheapest or best product of a description, one or more pieces of it. */
function drawRanked(random: RandomSource, scene: Scene): Addition | null {
  const field = random() < 0.6 ? "price" : "rating";
  const { query, matching, slots } = drawDescription(random, scene.goods);
  const item = bestOf({ matching }, field);
  if (item === null || scene.cart.some(({ id }) => id === item.id)) return null;
  const rank = pick(random, SUPERLATIVES[field]);
  const count = random() < 0.75 ? 1 : Math.min(item.stock, 2 + Math.floor(random() * 2));
  const said =
    count === 1
      ? `the ${rank} ${slots["what"]}`
      : pick(random, [
          "{n} of the {rank} {what}",
          "the {rank} {what}, {n} of it",
          "the {rank} {what} x{n}",
        ])
          .replace("{n}", String(count))
          .replace("{rank}", rank)
          .replace("{what}", slots["what"] ?? "");
  const call: Call = ["search", { query, sort: field }];
  return { item, count, call, isUnpriced: field === "rating", said };
}

/** Different products to add. `null` if these draws give fewer. */
function drawAdditions(random: RandomSource, scene: Scene, count: number): Addition[] | null {
  const additions: Addition[] = [];
  for (let at = 0; at < count; at += 1) {
    const one = random() < RANKED_SHARE ? drawRanked(random, scene) : drawNamed(random, scene);
    if (one === null || additions.some(({ item }) => item.id === one.item.id)) return null;
    additions.push(one);
  }
  return additions;
}

/** A line to take out, as it is named beside what is added. */
function saidLine(
  line: Line,
  scene: Scene,
  additions: readonly Addition[],
  random: RandomSource,
): string {
  const { item, quantity } = line;
  const isAlone =
    singleLines(scene).some((one) => one.item === item) &&
    !additions.some((one) => one.item.category === item.category);
  if (!isAlone || random() >= BY_CATEGORY_SHARE) return `the ${nameOf(item, random, scene.goods)}`;
  const { one, several } = categoryWords(item, random);
  return `${pick(random, ["the", "my"])} ${quantity === 1 ? one : several}`;
}

/** Lines to take out: none, one or two. */
function drawGone(random: RandomSource, scene: Scene): Line[] {
  const lines = linesOf(scene);
  const count = Math.min(lines.length, random() < 0.5 ? 1 : Math.floor(random() * 3));
  const gone: Line[] = [];
  while (gone.length < count) {
    const line = pick(random, lines);
    if (!gone.includes(line)) gone.push(line);
  }
  return gone;
}

/** Things as people list them. */
function listed(parts: readonly string[], random: RandomSource): string {
  const style = random();
  if (style < 0.5) return series(parts);
  return parts.join(
    pick(random, [", ", " and ", " + ", ", also ", " & ", ", then ", " plus ", ", and "]),
  );
}

const severalChanges: DrawTurn = (random, scene) => {
  const gone = drawGone(random, scene);
  const count = gone.length === 0 ? 2 + Math.floor(random() * 2) : 1 + Math.floor(random() * 2);
  const additions = drawAdditions(random, scene, count);
  if (additions === null) return null;
  const adding = pick(random, ADDING).replace(
    "{items}",
    listed(
      additions.map(({ said }) => said),
      random,
    ),
  );
  const removing = pick(random, REMOVING).replace(
    "{items}",
    listed(
      gone.map((line) => saidLine(line, scene, additions, random)),
      random,
    ),
  );
  const joint = pick(random, [", ", ". ", " and ", "; ", ", then ", ". also ", " but "]);
  const clauses =
    gone.length === 0 ? [adding] : random() < 0.5 ? [adding, removing] : [removing, adding];
  const cart = [
    ...gone.map(({ item }) => [item, 0] as const),
    ...additions.map(({ item, count: pieces }) => [item, pieces] as const),
  ].reduce((all, [item, pieces]) => withPieces(all, item, pieces), scene.cart);
  const facts = additions.flatMap(({ item, count: pieces }): Fact[] => [
    [item.name],
    item.price,
    ...(pieces > 1 ? [pieces] : []),
  ]);
  return {
    kind: "several-changes",
    slots: { changes: clauses.join(joint) },
    expected: {
      cart,
      form: "answer",
      facts: [...facts, ...gone.map(({ item }): Fact => [item.name])],
      wishes: additions.length + gone.length,
    },
    conduct: (assistant) => change(assistant, additions, gone),
    after: next(scene, { cart, last: null }),
  };
};

/** Looks for everything in one turn, then adds and removes. A mistake forgets what comes after the first, or the removals. */
async function change(
  assistant: Assistant,
  additions: readonly Addition[],
  gone: readonly Line[],
): Promise<string> {
  const views: Call[] = gone.length === 0 ? [] : [["view_cart", {}]];
  const results = await assistant.act(...additions.map(({ call }) => call), ...views);
  const kept = assistant.errs() ? additions.slice(0, 1) : additions;
  const found = kept.map(({ item, count, isUnpriced }, at) => ({
    hit: assistant.choose(results[at] as readonly Hit[], item),
    quantity: assistant.pieces(count),
    isUnpriced,
  }));
  const { lines = [] } = (results[additions.length] ?? {}) as Partial<
    Awaited<ReturnType<Assistant["cart"]>>
  >;
  const removals = assistant.errs() ? [] : gone.map(({ item }) => assistant.choose(lines, item));
  const opened = found.filter(({ isUnpriced }) => isUnpriced);
  const changes = [
    ...found.map(({ hit, quantity }) => addCall(hit, quantity)),
    ...removals.map((line) => removeCall(line)),
  ];
  const done = await assistant.act(
    ...changes,
    ...opened.map(({ hit }): Call => ["open", { id: hit.id }]),
  );
  const items = found.map((one) => {
    const at = opened.indexOf(one);
    const price = at < 0 ? one.hit.price : (done[changes.length + at] as { price: number }).price;
    return shown({ ...one.hit, ...(price === undefined ? {} : { price }) }, one.quantity);
  });
  return [
    added(items),
    ...(removals.length === 0 ? [] : [removed(removals.map(({ name }) => ({ name })))]),
  ].join(" ");
}

export const SEVERAL_CHANGES_TURNS: TurnsOf<"several-changes"> = {
  "several-changes": severalChanges,
};
