/** Actions of some groups of subjects: sharing, dates, files, copies. */
import { type Action, lines } from "./action.ts";
import { FIELDS, named } from "./fields.ts";
import { oneOf } from "./field.ts";

export const GROUP_ACTIONS: readonly Action[] = [
  {
    key: "share",
    changes: true,
    groups: ["event", "document", "order", "work"],
    names: lines(`
      share {n}
      send {n}
      forward {n}
      pass {n} on
      share {n} with
      send {n} to
      distribute {n}`),
    descriptions: lines(`
      Send {a} to someone
      Share {a} with a person
      Forward {a} to a person
      Sends {a} to another person
      Use this when someone else should get {a}
      Give a person access to {a}`),
    clauses: lines(`
      send {t} to {v}
      share {t} with {v}
      forward {t} to {v}
      pass {t} on to {v}
      let {v} have {t}
      give {v} a copy of {t}
      pass {t} along to {v}
      make sure that {v} gets {t}`),
    wishes: lines(`
      {v} should get {t}.
      Let {v} see {t}.
      {v} asked for {t}, please send it.
      {v} has to see {t}.
      Can {v} get {t}?
      {t} is for {v}, please send it over.
      {v} is waiting for {t}.`),
    done: "sent {t} to {v}",
    target: true,
    value: named(FIELDS.person, ["recipient", "to", "receiver", "with person"], "recipient"),
  },
  {
    key: "assign",
    changes: true,
    groups: ["work", "order", "document", "device", "place", "vehicle", "animal", "plant"],
    names: lines(`
      assign {n}
      set {n} owner
      hand over {n}
      delegate {n}
      give {n}
      assign {n} to
      change {n} owner
      transfer {n} to person`),
    descriptions: lines(`
      Assign {a} to a person
      Change the owner of {a}
      Make someone own {a}
      Gives {a} to a person who is then responsible
      Use this when another person takes over {a}
      Sets who is in charge of {a}`),
    clauses: lines(`
      assign {t} to {v}
      hand {t} over to {v}
      make {v} the owner of {t}
      put {v} in charge of {t}
      give {t} to {v} as the new owner
      let {v} take over {t}
      make {v} responsible for {t}
      transfer {t} to {v} as the owner`),
    wishes: lines(`
      {v} takes care of {t} now.
      {t} belongs to {v} from now on.
      {v} owns {t} now.
      {v} is responsible for {t} from now on.
      {v} takes over {t}.
      I want {v} in charge of {t}.
      Could {v} be the owner of {t}?`),
    done: "assigned {t} to {v}",
    target: true,
    value: named(
      FIELDS.owner,
      ["owner", "assignee", "to", "person", "new owner", "assign to"],
      "new owner",
    ),
  },
  {
    key: "reschedule",
    changes: true,
    groups: ["event", "order", "work"],
    names: lines(`
      reschedule {n}
      move {n}
      postpone {n}
      set {n} date
      change {n} date
      new {n} date
      {n} reschedule
      move {n} to day`),
    descriptions: lines(`
      Change the date of {a}
      Put {a} on another day
      Reschedule {a}
      Moves {a} to a different day
      Use this when {a} has to take place on another date
      Sets a new date for {a}`),
    clauses: lines(`
      reschedule {t} to {v}
      postpone {t} to {v}
      shift {t} to {v}
      push {t} to {v}
      move {t} to {v}
      change the date of {t} to {v}
      put {t} on {v} instead
      set the date of {t} to {v}`),
    wishes: lines(`
      {t} takes place on {v} instead.
      {v} suits me better for {t}.
      Can {t} be on {v} instead?
      {t} has to move to {v}.
      The new date of {t} is {v}.
      I can only do {t} on {v}, please move it.`),
    done: "moved {t} to {v}",
    target: true,
    value: named(FIELDS.date, ["new date", "date", "to date", "day"], "new date"),
  },
  {
    key: "invite",
    changes: true,
    groups: ["event"],
    names: lines(`
      invite to {n}
      add {n} guest
      invite {n}
      add attendee to {n}
      enroll {n}
      add guest to {n}
      {n} invitation
      sign up for {n}
      add participant to {n}`),
    descriptions: lines(`
      Invite a person to {a}
      Add a guest to {a}
      Sign someone up for {a}
      Adds a person to {a}
      Use this when someone should take part in {a}
      Puts a person on the guest list of {a}`),
    clauses: lines(`
      invite {v} to {t}
      add {v} to {t}
      sign {v} up for {t}
      ask {v} to come to {t}
      put {v} on the guest list of {t}
      include {v} in {t}
      enroll {v} in {t}
      let {v} take part in {t}`),
    wishes: lines(`
      {v} wants to join {t}.
      {v} should come to {t}.
      {t}: {v} comes too.
      {v} would like to be at {t}.
      Can {v} take part in {t}?
      We need {v} at {t}, please send an invitation.
      {v} is missing on the guest list of {t}.`),
    done: "invited {v} to {t}",
    target: true,
    value: named(FIELDS.person, ["guest", "attendee", "invitee", "who"], "guest"),
  },
  {
    key: "remind",
    changes: true,
    groups: ["event", "order", "work", "document"],
    names: lines(`
      remind of {n}
      set {n} reminder
      add {n} alarm
      remind {n}
      alert {n}
      create {n} reminder
      remind me of {n}
      {n} reminder`),
    descriptions: lines(`
      Set a reminder for {a}
      Remind the user of {a}
      Set an alarm for {a}
      Reminds the user of {a} on a given day
      Use this when the user does not want to forget {a}
      Creates a reminder about {a}`),
    clauses: lines(`
      remind me of {t} on {v}
      set a reminder for {t} on {v}
      alert me about {t} on {v}
      create a reminder for {t} on {v}
      make a reminder about {t} for {v}
      give me a reminder of {t} on {v}
      see that I do not forget {t} on {v}
      set up a reminder about {t} for {v}`),
    wishes: lines(`
      Do not let me forget {t} on {v}.
      On {v} I must think of {t}, remind me.
      I need a reminder of {t} on {v}.
      Can I get a reminder about {t} on {v}?
      I always forget {t}, so remind me on {v}.
      A reminder for {t} on {v}, please.
      Reminder: {t}, {v}.`),
    done: "set a reminder for {t} on {v}",
    target: true,
    value: named(FIELDS.date, ["when", "on", "date", "remind on"], "day of the reminder"),
  },
  {
    key: "export",
    changes: false,
    groups: ["document", "order", "work"],
    names: lines(`
      export {n}
      download {n}
      save {n} as
      convert {n}
      export {n} file
      {n} export
      get {n} file
      {n} to file`),
    descriptions: lines(`
      Export {a} to a file
      Download {a}
      Convert {a} to a format
      Gives {a} as a file in the wanted format
      Use this to download {a}
      Turns {a} into a file`),
    clauses: lines(`
      export {t} as {v}
      download {t} as {v}
      give me {t} in {v}
      turn {t} into {v}
      convert {t} to {v}
      save {t} as {v}
      make a {v} file of {t}
      get {t} as a {v} file`),
    wishes: lines(`
      I need {t} as a {v} file.
      {t} as {v}, please.
      Can I have {t} as {v}?
      I want to download {t} as {v}.
      {t} should be a {v} file.
      Is there a {v} version of {t}?`),
    target: true,
    value: oneOf(["format", "type", "file type", "as"], ["pdf", "csv", "html", "text"], "format"),
  },
  {
    key: "archive",
    changes: true,
    groups: ["document", "work", "order", "person"],
    names: lines(`
      archive {n}
      store {n}
      put {n} away
      shelve {n}
      archive old {n}
      move {n} to archive
      {n} archive`),
    descriptions: lines(`
      Move {a} to the archive
      Put {a} into storage
      Archive {a}
      Puts {a} away without deleting it
      Use this when {a} is finished but must be kept
      Moves the given {n} into the archive`),
    clauses: lines(`
      archive {t}
      move {t} to the archive
      put {t} away
      store {t} away
      send {t} to the archive
      put {t} into the archive
      keep {t} in the archive
      file {t} away in the archive`),
    wishes: lines(`
      {t} is finished, keep it in the archive.
      {t} belongs in the archive.
      {t} is done, archive it.
      {t} can go to the archive.
      Please, {t} to the archive.
      We are finished with {t}, so put it into the archive.`),
    done: "archived {t}",
    target: true,
  },
  {
    key: "copy",
    changes: true,
    groups: ["document", "event", "work"],
    names: lines(`
      copy {n}
      duplicate {n}
      clone {n}
      {n} copy
      make {n} copy
      duplicate existing {n}
      replicate {n}`),
    descriptions: lines(`
      Duplicate {a}
      Make a copy of {a}
      Clone {a} under a new name
      Makes a second {n} with the same content
      Use this to start a new {n} from an old one
      Creates a copy of {a} with its own name`),
    clauses: lines(`
      copy {t} as {v}
      duplicate {t} under the name {v}
      make a copy of {t} called {v}
      clone {t} as {v}
      make {v} as a copy of {t}
      create a copy of {t} named {v}
      duplicate {t} and name the copy {v}
      copy {t} and call the copy {v}`),
    wishes: lines(`
      I need the same as {t} under the name {v}.
      {t} once more, but named {v}.
      I want a copy of {t} called {v}.
      Could there be a copy of {t} named {v}?
      {v} should be a copy of {t}.
      A copy of {t}, please, with the name {v}.`),
    done: "copied {t} as {v}",
    target: true,
    value: named(FIELDS.title, ["copy name", "as", "new title", "name"], "name of the copy"),
  },
];
