/** What tools do with subjects: names, descriptions and the ways in which people ask for it. */
import { type Field, FIELDS } from "./fields.ts";
import type { SubjectGroup } from "./subjects.ts";
import { integer } from "./values.ts";

/**
 * An action. In its texts, `{n}` is the subject, `{a}` the subject with an article, `{s}` its plural, `{t}` the
 * one thing that is meant, and `{v}` the value. Details follow at the end, or at `{d}`.
 */
export type Action = {
  readonly key: string;
  /** Whether it changes something. The others read. */
  readonly changes: boolean;
  /** Absent = all groups. */
  readonly groups?: readonly SubjectGroup[];
  /** Words of the function's name. */
  readonly names: readonly string[];
  readonly descriptions: readonly string[];
  /** Imperatives: `cancel {t}`. */
  readonly clauses: readonly string[];
  /** Whole sentences that ask for it in another way. */
  readonly wishes: readonly string[];
  /** What was done, after "I": `cancelled {t}`. Reading actions have none. */
  readonly done?: string;
  /** Whether it acts on one thing, named or by id. */
  readonly target?: true;
  readonly value?: Field;
  /** `record`: fields of a new record. `filter`: what to look for. `filters`: the same, but not required. */
  readonly details?: "record" | "filter" | "filters";
};

const named = (field: Field, names: readonly string[], label: string): Field => ({
  ...field,
  names,
  label,
});

const oneOf = (names: readonly string[], type: readonly string[], label: string): Field => ({
  names,
  type,
  draw: ({ random }) => {
    const argument = type[Math.floor(random() * type.length)] as string;
    return { argument, said: argument };
  },
  phrases: ["{}"],
  label,
});

const numberIn = (names: readonly string[], from: number, to: number, label: string): Field => ({
  names,
  type: "integer",
  draw: (drawing) => integer(drawing, from, to),
  phrases: ["{}"],
  label,
});

export const ACTIONS: readonly Action[] = [
  {
    key: "create",
    changes: true,
    names: ["create {n}", "add {n}", "new {n}", "make {n}", "register {n}", "insert {n}"],
    descriptions: ["Create {a}", "Add a new {n}", "Make {a}", "Register a new {n}", "Enter {a}"],
    clauses: ["create {a}", "add {a}", "set up {a}", "make a new {n}", "enter {a}", "put in {a}"],
    wishes: ["I need a new {n} {d}.", "There should be {a} {d}.", "One more {n} please, {d}."],
    done: "created {t}",
    details: "record",
  },
  {
    key: "remove",
    changes: true,
    names: ["cancel {n}", "delete {n}", "remove {n}", "drop {n}", "discard {n}"],
    descriptions: ["Remove {a}", "Delete {a}", "Cancel {a}", "Drop {a} for good", "Discard {a}"],
    clauses: [
      "cancel {t}",
      "delete {t}",
      "remove {t}",
      "get rid of {t}",
      "throw out {t}",
      "drop {t}",
    ],
    wishes: ["{t} is not needed any more.", "I do not want {t} any longer.", "{t} must go."],
    done: "removed {t}",
    target: true,
  },
  {
    key: "find",
    changes: false,
    names: ["find {s}", "search {s}", "look up {s}", "query {s}", "find {n}"],
    descriptions: ["Find {s}", "Search for {s}", "Look up {s}", "Search all {s}"],
    clauses: ["find {s} {d}", "search for {s} {d}", "look for {a} {d}", "look up {s} {d}"],
    wishes: ["Which {s} are there {d}?", "Is there {a} {d}?", "Do we have {s} {d}?"],
    details: "filter",
  },
  {
    key: "list",
    changes: false,
    names: ["list {s}", "all {s}", "get {s}", "show {s}", "browse {s}"],
    descriptions: ["List all {s}", "Show every {n}", "Give all {s}", "Browse the {s}"],
    clauses: ["list all {s}", "show me all {s}", "give me the list of {s}", "display every {n}"],
    wishes: ["What {s} do I have?", "I want to see all my {s}.", "Which {s} exist at all?"],
  },
  {
    key: "get",
    changes: false,
    names: ["get {n}", "show {n}", "read {n}", "{n} details", "open {n}", "{n} info"],
    descriptions: ["Show one {n}", "Get the details of {a}", "Read {a}", "Details of one {n}"],
    clauses: ["show me {t}", "open {t}", "look at {t}", "give me the details of {t}"],
    wishes: ["What do we know about {t}?", "I want to look at {t}.", "Details of {t}?"],
    target: true,
  },
  {
    key: "count",
    changes: false,
    names: ["count {s}", "number of {s}", "how many {s}", "{n} count", "total {s}"],
    descriptions: ["Count the {s}", "Number of {s}", "Say how many {s} there are"],
    clauses: ["count the {s} {d}", "say how many {s} there are {d}", "give the number of {s} {d}"],
    wishes: ["How many {s} are there {d}?", "What is the number of {s} {d}?", "How many {s} {d}?"],
    details: "filters",
  },
  {
    key: "rename",
    changes: true,
    names: ["rename {n}", "retitle {n}", "change {n} name", "set {n} name", "relabel {n}"],
    descriptions: ["Rename {a}", "Give {a} another name", "Change the name of {a}"],
    clauses: ["rename {t} to {v}", "call {t} {v} from now on", "change the name of {t} to {v}"],
    wishes: ["{t} should be called {v}.", "The new name of {t} is {v}."],
    done: "renamed {t} to {v}",
    target: true,
    value: named(FIELDS.title, ["new name", "to", "title", "name to"], "new name"),
  },
  {
    key: "annotate",
    changes: true,
    names: ["annotate {n}", "add {n} note", "comment {n}", "comment on {n}", "write {n} note"],
    descriptions: ["Add a comment to {a}", "Attach a remark to {a}", "Write a remark on {a}"],
    clauses: ["add the comment {v} to {t}", "write {v} on {t}", "attach the remark {v} to {t}"],
    wishes: ["{t} needs the remark {v}.", "Please leave {v} as a comment on {t}."],
    done: "added the comment to {t}",
    target: true,
    value: named(FIELDS.note, ["text", "comment", "remark", "body"], "comment"),
  },
  {
    key: "tag",
    changes: true,
    names: ["tag {n}", "label {n}", "mark {n}", "categorize {n}", "add {n} tag"],
    descriptions: ["Put a tag on {a}", "Label {a}", "Mark {a} with a tag", "Tag {a}"],
    clauses: ["tag {t} as {v}", "label {t} with {v}", "put the tag {v} on {t}", "mark {t} as {v}"],
    wishes: ["{t} belongs to the tag {v}.", "{t} should carry the label {v}."],
    done: "tagged {t} as {v}",
    target: true,
    value: named(FIELDS.tag, ["tag", "label", "mark", "keyword"], "tag"),
  },
  {
    key: "share",
    changes: true,
    groups: ["event", "document", "order", "work"],
    names: ["share {n}", "send {n}", "forward {n}", "mail {n}", "pass {n} on"],
    descriptions: ["Send {a} to someone", "Share {a} with a person", "Forward {a} to a person"],
    clauses: ["send {t} to {v}", "share {t} with {v}", "forward {t} to {v}", "pass {t} on to {v}"],
    wishes: ["{v} should get {t}.", "Let {v} see {t}.", "{v} asked for {t}, please send it."],
    done: "sent {t} to {v}",
    target: true,
    value: named(FIELDS.person, ["recipient", "to", "receiver", "with person"], "recipient"),
  },
  {
    key: "assign",
    changes: true,
    groups: ["work", "order", "document", "device", "place"],
    names: ["assign {n}", "set {n} owner", "hand over {n}", "delegate {n}", "give {n}"],
    descriptions: ["Assign {a} to a person", "Change the owner of {a}", "Make someone own {a}"],
    clauses: ["assign {t} to {v}", "hand {t} over to {v}", "make {v} the owner of {t}"],
    wishes: ["{v} takes care of {t} now.", "{t} belongs to {v} from now on.", "{v} owns {t} now."],
    done: "assigned {t} to {v}",
    target: true,
    value: named(FIELDS.owner, ["owner", "assignee", "to", "person"], "new owner"),
  },
  {
    key: "reschedule",
    changes: true,
    groups: ["event", "order", "work"],
    names: ["reschedule {n}", "move {n}", "postpone {n}", "set {n} date", "change {n} date"],
    descriptions: ["Change the date of {a}", "Put {a} on another day", "Reschedule {a}"],
    clauses: [
      "reschedule {t} to {v}",
      "postpone {t} to {v}",
      "shift {t} to {v}",
      "push {t} to {v}",
    ],
    wishes: ["{t} takes place on {v} instead.", "{v} suits me better for {t}."],
    done: "moved {t} to {v}",
    target: true,
    value: named(FIELDS.date, ["new date", "date", "to date", "day"], "new date"),
  },
  {
    key: "invite",
    changes: true,
    groups: ["event"],
    names: ["invite to {n}", "add {n} guest", "invite {n}", "add attendee to {n}", "enroll {n}"],
    descriptions: ["Invite a person to {a}", "Add a guest to {a}", "Sign someone up for {a}"],
    clauses: [
      "invite {v} to {t}",
      "add {v} to {t}",
      "sign {v} up for {t}",
      "ask {v} to come to {t}",
    ],
    wishes: ["{v} wants to join {t}.", "{v} should come to {t}.", "{t}: {v} comes too."],
    done: "invited {v} to {t}",
    target: true,
    value: named(FIELDS.person, ["guest", "attendee", "invitee", "who"], "guest"),
  },
  {
    key: "remind",
    changes: true,
    groups: ["event", "order", "work", "document"],
    names: ["remind of {n}", "set {n} reminder", "add {n} alarm", "remind {n}", "alert {n}"],
    descriptions: ["Set a reminder for {a}", "Remind the user of {a}", "Set an alarm for {a}"],
    clauses: [
      "remind me of {t} on {v}",
      "set a reminder for {t} on {v}",
      "alert me about {t} on {v}",
    ],
    wishes: ["Do not let me forget {t} on {v}.", "On {v} I must think of {t}, remind me."],
    done: "set a reminder for {t} on {v}",
    target: true,
    value: named(FIELDS.date, ["when", "on", "date", "remind on"], "day of the reminder"),
  },
  {
    key: "export",
    changes: false,
    groups: ["document", "order", "work"],
    names: ["export {n}", "download {n}", "save {n} as", "convert {n}", "print {n}"],
    descriptions: ["Export {a} to a file", "Download {a}", "Convert {a} to a format"],
    clauses: [
      "export {t} as {v}",
      "download {t} as {v}",
      "give me {t} in {v}",
      "turn {t} into {v}",
    ],
    wishes: ["I need {t} as a {v} file.", "{t} as {v}, please."],
    target: true,
    value: oneOf(["format", "type", "file type", "as"], ["pdf", "csv", "html", "text"], "format"),
  },
  {
    key: "archive",
    changes: true,
    groups: ["document", "work", "order"],
    names: ["archive {n}", "store {n}", "put {n} away", "close {n}", "shelve {n}"],
    descriptions: ["Move {a} to the archive", "Put {a} into storage", "Archive {a}"],
    clauses: ["archive {t}", "move {t} to the archive", "put {t} away", "store {t} away"],
    wishes: ["{t} is finished, keep it in the archive.", "{t} belongs in the archive."],
    done: "archived {t}",
    target: true,
  },
  {
    key: "copy",
    changes: true,
    groups: ["document", "event", "work"],
    names: ["copy {n}", "duplicate {n}", "clone {n}", "repeat {n}", "{n} copy"],
    descriptions: ["Duplicate {a}", "Make a copy of {a}", "Clone {a} under a new name"],
    clauses: [
      "copy {t} as {v}",
      "duplicate {t} under the name {v}",
      "make a copy of {t} called {v}",
    ],
    wishes: ["I need the same as {t} under the name {v}.", "{t} once more, but named {v}."],
    done: "copied {t} as {v}",
    target: true,
    value: named(FIELDS.title, ["copy name", "as", "new title", "name"], "name of the copy"),
  },
  {
    key: "switch",
    changes: true,
    groups: ["device"],
    names: ["switch {n}", "turn {n}", "toggle {n}", "set {n} state", "{n} power"],
    descriptions: ["Switch {a} on or off", "Turn {a} on or off", "Power for {a}"],
    clauses: ["switch {t} {v}", "turn {t} {v}", "put {t} {v}", "switch {v} {t}", "turn {v} {t}"],
    wishes: ["{t} should be {v}.", "I want {t} to be {v}.", "Could {t} be {v}, please?"],
    done: "switched {t} {v}",
    target: true,
    value: oneOf(["state", "power", "to", "mode"], ["on", "off"], "state"),
  },
  {
    key: "level",
    changes: true,
    groups: ["device"],
    names: ["set {n} level", "adjust {n}", "{n} level", "tune {n}", "set {n}"],
    descriptions: ["Set the level of {a}", "Adjust {a}, 0 to 100", "Set {a} to a level"],
    clauses: [
      "set {t} to {v}",
      "adjust {t} to {v}",
      "set the level of {t} to {v}",
      "bring {t} to {v} percent",
    ],
    wishes: ["{t} at {v} percent, please.", "{t} should run at {v}.", "I would like {t} at {v}."],
    done: "set {t} to {v}",
    target: true,
    value: numberIn(["level", "percent", "value", "strength"], 0, 100, "level"),
  },
  {
    key: "timer",
    changes: true,
    groups: ["device"],
    names: ["schedule {n}", "start {n} at", "{n} timer", "program {n}", "set {n} time"],
    descriptions: ["Start {a} at a time", "Program a start time for {a}", "Schedule {a}"],
    clauses: [
      "start {t} at {v}",
      "let {t} begin at {v}",
      "program {t} for {v}",
      "schedule {t} for {v}",
    ],
    wishes: ["{t} should start at {v}.", "At {v} {t} has to run."],
    done: "scheduled {t} for {v}",
    target: true,
    value: named(FIELDS.time, ["time", "start", "at", "start time"], "start time"),
  },
  {
    key: "relocate",
    changes: true,
    groups: ["device", "work", "event"],
    names: ["relocate {n}", "set {n} place", "change {n} place", "transfer {n}", "bring {n}"],
    descriptions: ["Change the place of {a}", "Put {a} in another place", "Relocate {a}"],
    clauses: ["bring {t} to {v}", "relocate {t} to {v}", "change the place of {t} to {v}"],
    wishes: ["The new place of {t} is {v}.", "{t} is in {v} from now on."],
    done: "relocated {t} to {v}",
    target: true,
    value: named(FIELDS.place, ["place", "to", "new place", "location"], "new place"),
  },
  {
    key: "status",
    changes: true,
    groups: ["order", "work", "device", "place"],
    names: ["set {n} status", "update {n} status", "change {n} state", "{n} status", "update {n}"],
    descriptions: ["Change the status of {a}", "Set the status of {a}", "Update the status of {a}"],
    clauses: [
      "set the status of {t} to {v}",
      "change {t} to {v}",
      "declare {t} {v}",
      "update {t} to {v}",
    ],
    wishes: ["{t} is {v} now.", "{t} counts as {v} from today."],
    done: "set the status of {t} to {v}",
    target: true,
    value: oneOf(
      ["status", "state", "new status"],
      ["open", "waiting", "done", "blocked"],
      "status",
    ),
  },
  {
    key: "pay",
    changes: true,
    groups: ["order"],
    names: ["pay {n}", "settle {n}", "pay for {n}", "charge {n}", "{n} payment"],
    descriptions: ["Pay an amount for {a}", "Settle {a}", "Make a payment for {a}"],
    clauses: ["pay {v} for {t}", "transfer {v} for {t}", "settle {t} with {v} euros"],
    wishes: ["{v} euros go to {t}.", "I want to pay {v} on {t}."],
    done: "paid {v} for {t}",
    target: true,
    value: named(FIELDS.price, ["amount", "sum", "euros", "payment"], "amount"),
  },
  {
    key: "reserve",
    changes: true,
    groups: ["place", "device"],
    names: ["reserve {n}", "book {n}", "hold {n}", "block {n}", "rent {n}"],
    descriptions: ["Reserve {a} for a day", "Book {a} on a date", "Hold {a} for a day"],
    clauses: ["reserve {t} for {v}", "book {t} on {v}", "hold {t} on {v}", "get me {t} for {v}"],
    wishes: [
      "I want to use {t} on {v}.",
      "Is {t} mine on {v}? Please book it.",
      "On {v} I need {t}.",
    ],
    done: "reserved {t} for {v}",
    target: true,
    value: named(FIELDS.date, ["date", "day", "when", "on"], "date"),
  },
  {
    key: "rate",
    changes: true,
    groups: ["place", "document", "order"],
    names: ["rate {n}", "review {n}", "score {n}", "give {n} stars", "{n} rating"],
    descriptions: ["Give {a} 1 to 5 stars", "Rate {a}", "Score {a} from 1 to 5"],
    clauses: [
      "rate {t} with {v} stars",
      "give {t} {v} stars",
      "score {t} with {v}",
      "give {v} points to {t}",
    ],
    wishes: ["{t} deserves {v} stars.", "My rating for {t} is {v}."],
    done: "rated {t} with {v}",
    target: true,
    value: numberIn(["stars", "rating", "score", "points"], 1, 5, "number of stars"),
  },
  {
    key: "reprice",
    changes: true,
    groups: ["place", "order", "work"],
    names: ["set {n} price", "reprice {n}", "change {n} price", "update {n} price", "{n} price"],
    descriptions: ["Change the price of {a}", "Set what {a} costs", "Give {a} a new price"],
    clauses: [
      "set the price of {t} to {v}",
      "change the price of {t} to {v}",
      "offer {t} for {v} euros",
    ],
    wishes: ["{t} costs {v} now.", "The price of {t} should be {v}."],
    done: "set the price of {t} to {v}",
    target: true,
    value: named(FIELDS.price, ["price", "new price", "cost", "to"], "new price"),
  },
];
