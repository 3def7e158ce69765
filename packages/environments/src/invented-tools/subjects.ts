/** Subjects of everyday software, with other words for them and the fields that their records have. */
import type { RandomSource } from "@waggle/protocol";
import { pick } from "../draw.ts";
import type { SubjectGroup, SubjectRows } from "./action.ts";
import type { FieldKey } from "./fields.ts";
import { DEVICES_AND_PLACES } from "./subjects-of-devices.ts";
import { EVENTS_AND_PAPERS } from "./subjects-of-events.ts";
import { WORK_AND_LIFE } from "./subjects-of-work.ts";

export type Subject = {
  readonly key: string;
  readonly group: SubjectGroup;
  /** Singular words that mean the same. No word belongs to two subjects. */
  readonly nouns: readonly string[];
  /** Fields of a record besides its name and its id. */
  readonly fields: readonly FieldKey[];
};

const ROWS: SubjectRows = [
  ["event", "meeting/appointment", "person date time place minutes"],
  ["event", "workout/training session", "date time minutes repeat"],
  ["event", "class/course", "person date people place"],
  ["event", "party/celebration", "date place people price"],
  ["event", "trip/journey", "place date people price"],
  ["event", "flight", "place date time price"],
  ["event", "interview", "person date time place"],
  ["event", "concert/show", "place date price time"],
  ["event", "shift/duty", "person date time minutes"],
  ["event", "exam/test", "person date place minutes"],
  ["event", "match/game", "place date time"],
  ["event", "call/phone call", "person date time minutes"],
  ["document", "note/memo", "tag date color"],
  ["document", "report", "owner date tag"],
  ["document", "contract/agreement", "person due price"],
  ["document", "recipe/dish", "tag minutes people"],
  ["document", "playlist/song list", "tag owner count"],
  ["document", "photo/picture", "place date tag"],
  ["document", "article/post", "owner date tag"],
  ["document", "folder/directory", "owner color tag"],
  ["document", "survey/questionnaire", "owner due count"],
  ["document", "slide deck/presentation", "owner date minutes"],
  ["document", "poem", "owner tag date"],
  ["document", "podcast/broadcast", "tag minutes date"],
  ["document", "backup/snapshot", "date weight place"],
  ["document", "book/novel", "owner tag price"],
  ["device", "lamp/light", "place color code"],
  ["device", "sensor/probe", "place code date"],
  ["device", "heater/radiator", "place code weight"],
  ["device", "camera", "place code price"],
  ["device", "printer", "place code color"],
  ["device", "pump", "place code date"],
  ["device", "speaker/loudspeaker", "place color price"],
  ["device", "door lock/lock", "place code owner"],
  ["device", "robot/drone", "code color weight"],
  ["device", "fan/ventilator", "place code size"],
  ["device", "oven/stove", "place code price"],
  ["device", "blind/shutter", "place color size"],
  ["order", "invoice/bill", "person price due"],
  ["order", "shipment/parcel", "place weight person date"],
  ["order", "booking/reservation", "person date people place"],
  ["order", "order/purchase", "person price count date"],
  ["order", "subscription/membership", "person price repeat"],
  ["order", "refund claim/claim", "person price date"],
  ["order", "delivery/drop-off", "place date time"],
  ["order", "rental/lease", "person date price"],
  ["order", "voucher/gift card", "person price due"],
  ["order", "donation", "person price date"],
  ["order", "prescription", "person date count"],
  ["place", "room/chamber", "place people price"],
  ["place", "parking spot/parking space", "place size price"],
  ["place", "desk/workplace", "place owner size"],
  ["place", "garden bed/flower bed", "place size color"],
  ["place", "hotel/inn", "place price people"],
  ["place", "restaurant/diner", "place tag price"],
  ["vehicle", "boat/canoe", "place size people"],
  ["place", "tent/camp site", "place size price"],
  ["place", "locker/storage box", "place size code"],
  ["work", "task/todo", "owner due priority"],
  ["work", "ticket/support case", "person priority date"],
  ["work", "bug/defect", "owner priority code"],
  ["work", "project/undertaking", "owner due price"],
  ["person", "contact/acquaintance", "email place tag"],
  ["plant", "plant/flower", "place date size"],
  ["animal", "pet/animal", "owner weight color age"],
  ["stock", "product/item", "price color count"],
  ["work", "budget/spending plan", "owner price repeat"],
  ["work", "goal/target", "owner due count"],
  ["vehicle", "vehicle/car", "owner color code"],
  ["work", "tool/instrument", "place owner price"],
  ["stock", "bottle/wine", "tag price place"],
  ["person", "patient/client", "email date place"],
  ...EVENTS_AND_PAPERS,
  ...DEVICES_AND_PLACES,
  ...WORK_AND_LIFE,
];

export const SUBJECTS: readonly Subject[] = ROWS.map(([group, nouns, fields]) => {
  const words = nouns.split("/");
  return {
    key: String(words[0]),
    group,
    nouns: words,
    fields: fields.split(" ") as FieldKey[],
  };
});

/** A word for the subject. The usual one is the most frequent. */
export function nounFor(random: RandomSource, { nouns, key }: Subject): string {
  return random() < 0.4 ? key : pick(random, nouns);
}

const IRREGULAR: { readonly [noun: string]: string } = {
  quiz: "quizzes",
  shelf: "shelves",
  loaf: "loaves",
  knife: "knives",
  child: "children",
  sheep: "sheep",
  fish: "fish",
  goldfish: "goldfish",
  aircraft: "aircraft",
  tomato: "tomatoes",
  goose: "geese",
};

/** `bookings`, `classes`, `galleries`. */
export function pluralOf(noun: string): string {
  const last = noun.slice(noun.lastIndexOf(" ") + 1);
  const irregular = IRREGULAR[last];
  if (irregular !== undefined) return noun.slice(0, noun.length - last.length) + irregular;
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  if (/(?:s|x|ch|sh)$/.test(noun)) return `${noun}es`;
  return `${noun}s`;
}

/** `a room`, `an invoice`. */
export function withArticle(noun: string): string {
  const isVowel =
    /^(?:[aeio]|un(?!i)|um|up|hour|x-ray)/i.test(noun) && !/^(?:one|eu|ew)/i.test(noun);
  return `${isVowel ? "an" : "a"} ${noun}`;
}
