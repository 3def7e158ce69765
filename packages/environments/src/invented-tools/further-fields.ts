/** More kinds of parameters. */
import { choice, type Field, flag, integerIn, text } from "./field.ts";
import * as values from "./values.ts";

export type FurtherKey =
  | "tag"
  | "color"
  | "email"
  | "priority"
  | "size"
  | "repeat"
  | "urgent"
  | "hidden"
  | "notify"
  | "distance"
  | "temperature"
  | "phone"
  | "language"
  | "weekday"
  | "hours"
  | "material"
  | "level"
  | "year"
  | "liters"
  | "website"
  | "age"
  | "job"
  | "country";

export const FURTHER_FIELDS: { readonly [key in FurtherKey]: Field } = {
  tag: {
    names: [
      "category",
      "group",
      "kind",
      "topic",
      "category name",
      "class",
      "type",
      "section",
      "genre",
    ],
    ...text(values.tag),
    phrases: [
      "in the category {}",
      "in the group {}",
      "under {}",
      "of the kind {}",
      "category {}",
      "filed under {}",
      "belonging to {}",
      "category: {}",
      "from the group {}",
    ],
    label: "category",
  },
  color: {
    names: ["color", "shade", "paint", "color name", "colour", "tint", "hue"],
    ...text(values.color),
    phrases: [
      "in {}",
      "colored {}",
      "with the color {}",
      "of the color {}",
      "color {}",
      "color: {}",
      "that is {}",
      "{} in color",
    ],
    label: "color",
  },
  email: {
    names: [
      "email",
      "mail",
      "email address",
      "address",
      "e mail",
      "contact email",
      "mail to",
      "email contact",
    ],
    ...text(values.email),
    phrases: [
      "with the email {}",
      "email {}",
      "reachable at {}",
      "email: {}",
      "mail {}",
      "with {} as the mail address",
      "whose address is {}",
    ],
    label: "email",
  },
  priority: {
    names: [
      "priority",
      "importance",
      "severity",
      "prio",
      "priority level",
      "urgency level",
      "rank",
    ],
    ...choice(["low", "medium", "high"]),
    phrases: [
      "with {} priority",
      "priority {}",
      "at {} priority",
      "priority: {}",
      "of {} priority",
      "with the priority set to {}",
      "{} priority",
    ],
    label: "priority",
  },
  size: {
    names: ["size", "format", "width", "size class", "dimension", "size option"],
    ...choice(["small", "medium", "large"]),
    phrases: ["in size {}", "size {}", "the {} size", "size: {}", "of {} size", "with the size {}"],
    label: "size",
  },
  repeat: {
    names: [
      "repeat",
      "frequency",
      "every",
      "cycle",
      "interval",
      "recurrence",
      "how often",
      "rhythm",
    ],
    ...choice(["daily", "weekly", "monthly"]),
    phrases: [
      "repeating {}",
      "{}",
      "on a {} basis",
      "on a {} rhythm",
      "recurring {}",
      "frequency {}",
      "frequency: {}",
    ],
    label: "frequency",
  },
  urgent: {
    names: ["urgent", "rush", "express", "is urgent", "high speed", "asap"],
    ...flag(
      [
        "it is urgent",
        "mark it urgent",
        "as urgent",
        "in a rush",
        "as fast as possible",
        "that is urgent",
      ],
      [
        "it is not urgent",
        "that is not urgent",
        "without any rush",
        "no hurry",
        "which is not urgent",
      ],
    ),
    label: "urgency",
  },
  hidden: {
    names: ["private", "hidden", "secret", "is private", "confidential", "not public"],
    ...flag(
      [
        "keep it private",
        "only visible to me",
        "hidden from others",
        "that is private",
        "nobody else may see it",
      ],
      ["visible to everyone", "that is not private", "open for all to see", "that is public"],
    ),
    label: "visibility",
  },
  notify: {
    names: ["notify", "alert", "send mail", "notify all", "send notice", "inform people"],
    ...flag(
      [
        "and notify everyone",
        "and let them know",
        "with a notice to all",
        "and everyone gets a mail",
      ],
      [
        "without notifying anyone",
        "but tell no one",
        "with no notice to anyone",
        "and keep quiet about it",
      ],
    ),
    label: "notification",
  },
  distance: {
    names: ["distance", "km", "distance km", "kilometers", "length km"],
    ...integerIn(2, 900),
    phrases: [
      "over {} km",
      "{} kilometers long",
      "with a length of {} km",
      "distance {} km",
      "of {} km",
    ],
    label: "length",
  },
  temperature: {
    names: ["temperature", "degrees", "temp", "temperature celsius", "heat"],
    ...integerIn(-20, 95),
    phrases: [
      "at {} degrees",
      "with {} degrees",
      "temperature {}",
      "at a temperature of {} degrees",
      "kept at {} degrees",
    ],
    label: "temperature",
  },
  phone: {
    names: ["phone", "phone number", "mobile", "telephone", "tel"],
    ...text(values.phone),
    phrases: [
      "with the phone number {}",
      "phone {}",
      "who can be called at {}",
      "tel. {}",
      "number for calls: {}",
    ],
    label: "phone number",
  },
  language: {
    names: ["language", "lang", "spoken language", "language name"],
    ...text(values.language),
    phrases: ["in {}", "with the language {}", "language: {}", "language {}", "that is in {}"],
    label: "language",
  },
  weekday: {
    names: ["weekday", "day of week", "day name", "which day"],
    ...choice(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]),
    phrases: ["on {}", "every {}", "each {}", "weekday: {}", "for {}"],
    label: "weekday",
  },
  hours: {
    names: ["hours", "duration hours", "number of hours", "hrs", "time in hours"],
    ...integerIn(2, 48),
    phrases: ["for {} hours", "lasting {} hours", "of {} hours", "{} hours long", "with {} hours"],
    label: "number of hours",
  },
  material: {
    names: ["material", "made of", "substance", "fabric type"],
    ...text(values.material),
    phrases: ["made of {}", "of {}", "material: {}", "made from {}", "in {}"],
    label: "material",
  },
  level: {
    names: ["level", "difficulty", "skill level", "grade"],
    ...choice(["beginner", "intermediate", "advanced", "expert"]),
    phrases: [
      "at the {} level",
      "for the level {}",
      "level: {}",
      "with {} difficulty",
      "of {} level",
    ],
    label: "level",
  },
  year: {
    names: ["year", "year built", "in year", "from year"],
    ...integerIn(1900, 2035),
    phrases: ["from the year {}", "from {}", "of {}", "year {}", "dating from {}"],
    label: "year",
  },
  liters: {
    names: ["liters", "volume", "volume l", "capacity liters", "l"],
    ...integerIn(2, 500),
    phrases: [
      "with {} liters",
      "of {} liters",
      "holding {} liters",
      "volume {} liters",
      "for {} liters",
    ],
    label: "volume",
  },
  website: {
    names: ["website", "url", "link", "web address", "homepage"],
    ...text(values.website),
    phrases: ["with the link {}", "at {}", "website: {}", "found at {}", "url {}"],
    label: "website",
  },
  age: {
    names: ["age", "age years", "years old", "age in years"],
    ...integerIn(2, 80),
    phrases: ["aged {}", "{} years old", "age {}", "at the age of {}", "with the age {}"],
    label: "age",
  },
  job: {
    names: ["job", "role", "occupation", "position", "job title"],
    ...text(values.job),
    phrases: [
      "with the job {}",
      "job: {}",
      "in the role of {}",
      "whose job is {}",
      "with the role {}",
    ],
    label: "job",
  },
  country: {
    names: ["country", "nation", "land", "country name"],
    ...text(values.country),
    phrases: ["from {}", "country: {}", "of {}", "with the country {}", "with {} as the country"],
    label: "country",
  },
};
