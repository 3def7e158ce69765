/** Several things in one message, described or named, each with its own number; and things of two categories alike. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import type { Product } from "../../catalogue-data.ts";
import { added } from "../answers.ts";
import { addCall, type Assistant, type Call, type Hit, searchFor, shown } from "../assistant.ts";
import {
  type Described,
  describedBy,
  drawDescribed,
  meantAmong,
  searchOf,
} from "../described/description.ts";
import { alikePhrase, phraseOf } from "../described/phrase.ts";
import { next, withPieces } from "../scene.ts";
import type { DrawTurn, Fact, Scene, TurnsOf } from "../talk-turn.ts";
import { countOf, drawProducts, type Meant, meant } from "../values.ts";
import { isNew } from "./described-wishes.ts";

/** One thing of a list: how it is found, and how it is said in words that are or are not held out. */
type Entry = {
  readonly item: Product;
  readonly count: number;
  readonly source: Described | Meant;
  readonly said: string;
  readonly unseen: string;
};

const SHARE = { three: 0.3, named: 0.3, one: 0.7 };
/** Most pieces of one thing. */
const MOST = 4;
const JOINTS: readonly string[] = [" and ", " and ", ", and ", " plus ", " and also ", " + "];

function isDescribed(source: Described | Meant): source is Described {
  return "search" in source;
}

function drawCount(random: RandomSource): number {
  return random() < SHARE.one ? 1 : 2 + Math.floor(random() * (MOST - 1));
}

/** A product by its name. */
function namedEntry(random: RandomSource, scene: Scene): Entry {
  const [item] = drawProducts(random, 1, scene) as [Product];
  const { item: source, said } = meant(item, random, scene.goods);
  const count = drawCount(random);
  const words =
    count > 1
      ? `${countOf(count, random)} ${said}`
      : pick(random, [`the ${said}`, `a ${said}`, said]);
  return { item, count, source, said: words, unseen: words };
}

/** A product by a description that leaves no choice. */
function describedEntry(random: RandomSource, scene: Scene): Entry | null {
  // A list of long descriptions is not what people type.
  const described = drawDescribed(random, scene.goods, (drawn) => {
    const { wanted, unwanted, limit, rank } = drawn;
    const count = wanted.length + Number(unwanted !== null) + Number(limit !== null);
    return isNew(drawn, scene) && count + Number(rank !== null) < 3;
  });
  const item = described?.item ?? null;
  if (described === null || item === null) return null;
  const count = drawCount(random);
  const words = (unseen: boolean) => phraseOf(described, { count }, random, unseen).described;
  return { item, count, source: described, said: words(false), unseen: words(true) };
}

function callFor(assistant: Assistant, source: Described | Meant): Call {
  if (!isDescribed(source)) return searchFor(source);
  const { sort, ...rest } = searchOf(assistant, source);
  return ["search", sort === undefined || assistant.errs() ? rest : { ...rest, sort }];
}

function chosen(assistant: Assistant, hits: readonly Hit[], { source, item }: Entry): Hit[] {
  if (!isDescribed(source)) return [assistant.choose(hits, item)];
  return meantAmong(hits, source).slice(0, 1);
}

/** Searches for all, then adds all and looks up the prices that are not known. A mistake forgets all but the first. */
async function addAll(assistant: Assistant, entries: readonly Entry[]): Promise<string> {
  const results = await assistant.act(...entries.map(({ source }) => callFor(assistant, source)));
  const hits = entries.flatMap((entry, at) =>
    chosen(assistant, results[at] as readonly Hit[], entry),
  );
  const kept = assistant.errs() ? hits.slice(0, 1) : hits;
  const counts = kept.map((_, at) => assistant.pieces(entries[at]?.count ?? 1));
  const unknown = kept.filter(({ price }) => price === undefined);
  const done = await assistant.act(
    ...kept.map((hit, at) => addCall(hit, counts[at] as number)),
    ...unknown.map(({ id }) => ["open", { id }] as const),
  );
  const pages = done.slice(kept.length) as readonly { readonly price: number }[];
  return added(
    kept.map((hit, at) => {
      const price = hit.price ?? pages[unknown.indexOf(hit)]?.price;
      return shown({ ...hit, ...(price === undefined ? {} : { price }) }, counts[at]);
    }),
  );
}

function expectedOf(scene: Scene, entries: readonly Entry[]) {
  const cart = entries.reduce(
    (lines, { item, count }) => withPieces(lines, item, count),
    scene.cart,
  );
  const facts = entries.flatMap(({ item, count }): Fact[] => [
    [item.name],
    item.price,
    ...(count > 1 ? [count] : []),
  ]);
  return {
    expected: { cart, form: "answer" as const, facts },
    after: next(scene, { cart, last: null }),
  };
}

const several: DrawTurn = (random, scene) => {
  const size = random() < SHARE.three ? 3 : 2;
  const entries: Entry[] = [];
  for (let at = 0; at < size; at += 1) {
    const isNamed = at > 0 && random() < SHARE.named;
    const entry = isNamed ? namedEntry(random, scene) : describedEntry(random, scene);
    if (entry === null || entry.count > entry.item.stock) return null;
    entries.push(entry);
  }
  // Two things of one category would be hard to tell apart.
  if (new Set(entries.map(({ item }) => item.category)).size < size) return null;
  if (random() < 0.5) entries.reverse();
  const joint = pick(random, JOINTS);
  const joined = (words: readonly string[]) =>
    words.slice(0, -1).join(joint === " + " ? joint : ", ") + joint + (words.at(-1) ?? "");
  const first = entries.find(({ source }) => isDescribed(source));
  const other = first !== undefined && isDescribed(first.source) ? first.source.other : null;
  return {
    kind: "described-several",
    slots: { list: joined(entries.map(({ said }) => said)) },
    unseen: { list: joined(entries.map(({ unseen }) => unseen)) },
    ...expectedOf(scene, entries),
    conduct: (assistant) => addAll(assistant, entries),
    ...(other === null ? {} : { near: { id: other.id } }),
  };
};

const alike: DrawTurn = (random, scene) => {
  const rank = random() < 0.5 ? "cheapest" : "best";
  const first = drawDescribed(random, scene.goods, (drawn) => {
    if (!isNew(drawn, scene) || drawn.rank !== rank || drawn.wanted.length === 0) return false;
    return drawn.unwanted === null && drawn.limit === null;
  });
  if (first === null) return null;
  const others = new Set(scene.goods.map(({ category }) => category));
  others.delete(first.category);
  const seconds = [...others].flatMap((category) => {
    const second = describedBy({ ...first, category }, rank, scene.goods);
    return second !== null && isNew(second, scene) ? [second] : [];
  });
  if (seconds.length === 0) return null;
  const second = pick(random, seconds);
  const entries = [first, second].map((source): Entry => ({
    item: source.item as Product,
    count: 1,
    source,
    said: "",
    unseen: "",
  }));
  return {
    kind: "described-alike",
    slots: alikePhrase([first, second], rank, random, false),
    unseen: alikePhrase([first, second], rank, random, true),
    ...expectedOf(scene, entries),
    conduct: (assistant) => addAll(assistant, entries),
    ...(first.other === null ? {} : { near: { id: first.other.id } }),
  };
};

export const DESCRIBED_LIST_TURNS: TurnsOf<"described-several" | "described-alike"> = {
  "described-several": several,
  "described-alike": alike,
};
