/** Actions of documents, orders and pieces of work: checking, signing, printing, progress. */
import { type Action, lines } from "./action.ts";
import { FIELDS, named } from "./fields.ts";
import { numberIn, oneOf } from "./field.ts";

export const PAPER_ACTIONS: readonly Action[] = [
  {
    key: "translate",
    changes: true,
    groups: ["document"],
    names: lines(`
      translate {n}
      {n} translation
      convert {n} language
      translate {n} to
      localize {n}`),
    descriptions: lines(`
      Translate {a} into another language
      Makes a translation of {a}
      Use this when {a} is needed in another language
      Translation of one {n}`),
    clauses: lines(`
      translate {t} into {v}
      put {t} into {v}
      make a {v} translation of {t}
      turn {t} into {v}
      get {t} translated into {v}
      write {t} in {v}
      have {t} translated into {v}
      prepare a {v} version of {t}`),
    wishes: lines(`
      I need {t} in {v}.
      Can I get {t} in {v}?
      {t} should be in {v}.
      Our partners only read {v}, so please translate {t}.
      A {v} translation of {t}, please.
      Is it possible to have {t} in {v}?
      {t} must exist in {v} as well.`),
    done: "translated {t} into {v}",
    target: true,
    value: named(
      FIELDS.language,
      ["language", "to language", "target language", "into", "lang"],
      "language",
    ),
  },
  {
    key: "approve",
    changes: true,
    groups: ["document", "order", "work", "event"],
    names: lines(`
      approve {n}
      accept {n}
      {n} approval
      authorize {n}
      give {n} approval`),
    descriptions: lines(`
      Approve {a}
      Give the permission for {a}
      Accept {a} that waits for a decision
      Use this when the user agrees with {a}
      Marks {a} as approved`),
    clauses: lines(`
      approve {t}
      accept {t}
      say yes to {t}
      give the green light for {t}
      authorize {t}
      let {t} pass
      agree to {t}
      grant permission for {t}`),
    wishes: lines(`
      {t} is fine with me, approve it.
      I agree with {t}.
      {t} has my approval.
      Yes to {t}.
      We accept {t}.
      {t} gets the green light.
      There is nothing wrong with {t}, so approve it.`),
    done: "approved {t}",
    target: true,
  },
  {
    key: "reject",
    changes: true,
    groups: ["document", "order", "work"],
    names: lines(`
      reject {n}
      decline {n}
      turn down {n}
      refuse {n}
      {n} rejection`),
    descriptions: lines(`
      Reject {a} with a reason
      Decline {a} and say why
      Turn down {a}
      Use this when the user does not agree with {a}`),
    clauses: lines(`
      reject {t} with the reason {v}
      turn down {t} with the reason {v}
      decline {t} because of {v}
      refuse {t} and give {v} as the reason
      say no to {t}, the reason is {v}
      reject {t} on the grounds of {v}
      send a refusal of {t} with the reason {v}
      decline {t} and write {v} as the reason`),
    wishes: lines(`
      I cannot accept {t}, the reason is {v}.
      No to {t}, reason: {v}.
      {t} is rejected because of {v}.
      We do not agree with {t}: {v}.
      {t} gets a no from me, and the reason is {v}.
      The reason why we refuse {t} is {v}.`),
    done: "rejected {t}",
    target: true,
    value: named(FIELDS.note, ["reason", "why", "grounds", "explanation"], "reason"),
  },
  {
    key: "sign",
    changes: true,
    groups: ["document", "order"],
    names: lines(`
      sign {n}
      {n} signature
      add {n} signature
      sign off {n}
      put signature on {n}`),
    descriptions: lines(`
      Sign {a} in the name of a person
      Put a signature on {a}
      Use this when {a} has to be signed
      Adds the name of the signer to {a}`),
    clauses: lines(`
      sign {t} as {v}
      sign {t} in the name of {v}
      put the signature of {v} on {t}
      let {v} sign {t}
      have {v} sign {t}
      add the signature of {v} to {t}
      get {t} signed by {v}
      put {v} as the signer on {t}`),
    wishes: lines(`
      {v} signs {t}.
      {t} needs the signature of {v}.
      The signature on {t} should be from {v}.
      {v} is ready to sign {t}.
      {t} must be signed by {v}.
      Can {v} sign {t} now?`),
    done: "signed {t} as {v}",
    target: true,
    value: named(FIELDS.person, ["signer", "signed by", "name", "signature"], "signer"),
  },
  {
    key: "print",
    changes: true,
    groups: ["document", "order"],
    names: lines(`
      print {n}
      print {n} copies
      {n} printout
      put {n} on paper
      send {n} to printer`),
    descriptions: lines(`
      Print {a} on paper
      Print some copies of {a}
      Use this when the user needs {a} on paper
      Sends {a} to the printer`),
    clauses: lines(`
      print {v} copies of {t}
      print {t} {v} times
      put {t} on paper {v} times
      make {v} printouts of {t}
      send {t} to the printer for {v} copies
      print out {v} copies of {t}
      get {v} paper copies of {t}
      run off {v} copies of {t}`),
    wishes: lines(`
      I need {t} on paper, {v} copies.
      {v} printouts of {t}, please.
      {v} copies of {t} should be on paper.
      Can I get {v} paper copies of {t}?
      {t} on paper, {v} times.
      We want to hand out {v} printed copies of {t}.`),
    done: "printed {v} copies of {t}",
    target: true,
    value: numberIn(["copies", "count", "number of copies", "times"], 2, 60, "number of copies"),
  },
  {
    key: "append",
    changes: true,
    groups: ["document", "work"],
    names: lines(`
      append to {n}
      add text to {n}
      extend {n} text
      write into {n}
      add line to {n}`),
    descriptions: lines(`
      Add text at the end of {a}
      Append a line to {a}
      Use this to write more into {a}
      Puts a text below what {a} already says`),
    clauses: lines(`
      append {v} to {t}
      add the line {v} at the end of {t}
      write {v} at the end of {t}
      put {v} below the text of {t}
      add {v} as the last line of {t}
      write the line {v} into {t}
      extend {t} by the line {v}
      let {t} end with the line {v}`),
    wishes: lines(`
      {t} should end with the line {v}.
      The last line of {t} is missing: {v}.
      One more line for {t}: {v}.
      I want {v} as the last line of {t}.
      At the end of {t} it should say {v}.
      {t} needs one more line, {v}.`),
    done: "added the line to {t}",
    target: true,
    value: named(FIELDS.note, ["text", "line", "content", "text to add"], "line"),
  },
  {
    key: "publish",
    changes: true,
    groups: ["document"],
    names: lines(`
      publish {n}
      release {n}
      make {n} public
      put {n} online
      {n} publication`),
    descriptions: lines(`
      Publish {a} for everyone
      Put {a} online
      Make {a} visible to the public
      Use this when {a} is ready to be read by all`),
    clauses: lines(`
      publish {t}
      put {t} online
      make {t} public
      bring {t} out
      let everyone read {t}
      release {t} to the public
      post {t} for all to see
      take {t} live`),
    wishes: lines(`
      {t} is ready for the public.
      {t} should be online.
      Everyone may see {t} now.
      It is time to have {t} online.
      {t} can go public.
      Can {t} go online?`),
    done: "published {t}",
    target: true,
  },
  {
    key: "confirm",
    changes: true,
    groups: ["event", "order"],
    names: lines(`
      confirm {n}
      {n} confirmation
      acknowledge {n}
      send {n} confirmation`),
    descriptions: lines(`
      Confirm {a}
      Say that {a} is fixed
      Use this when the user says that {a} will happen as planned
      Sends a confirmation of {a}`),
    clauses: lines(`
      confirm {t}
      send a confirmation of {t}
      say that {t} is certain
      let them know that {t} is fixed
      make {t} definite
      write back that {t} stands
      mark {t} as confirmed
      acknowledge {t}`),
    wishes: lines(`
      {t} will happen as planned, confirm it.
      {t} is certain now.
      They want to know if {t} is fixed, and it is.
      {t} needs a confirmation.
      You can confirm {t}.
      {t} stands, tell them so.`),
    done: "confirmed {t}",
    target: true,
  },
  {
    key: "prioritize",
    changes: true,
    groups: ["work"],
    names: lines(`
      prioritize {n}
      set {n} priority
      {n} priority
      change {n} importance
      rank {n}`),
    descriptions: lines(`
      Set the priority of {a}
      Say how important {a} is
      Use this when {a} gets more or less important
      Changes the importance of {a}`),
    clauses: lines(`
      set the priority of {t} to {v}
      give {t} {v} priority
      make {t} a {v} priority
      change the importance of {t} to {v}
      treat {t} with {v} priority
      put {t} at {v} priority
      rank {t} as {v} priority
      let {t} have {v} priority`),
    wishes: lines(`
      {t} has {v} priority now.
      The priority of {t} should be {v}.
      For {t} a {v} priority is right.
      {t} is of {v} importance.
      Priority of {t}: {v}.
      I see {t} as a {v} priority.`),
    done: "set the priority of {t} to {v}",
    target: true,
    value: oneOf(
      ["priority", "importance", "level", "rank"],
      ["low", "medium", "high", "critical"],
      "priority",
    ),
  },
  {
    key: "progress",
    changes: true,
    groups: ["work"],
    names: lines(`
      set {n} progress
      {n} progress
      update {n} progress
      report {n} progress
      percent of {n}`),
    descriptions: lines(`
      Say how much of {a} is finished
      Set the progress of {a} in percent
      Use this when some part of {a} has been done
      Records how far {a} is`),
    clauses: lines(`
      set the progress of {t} to {v} percent
      record that {v} percent of {t} is finished
      note that {t} is {v} percent complete
      put the progress of {t} at {v} percent
      update the progress of {t} to {v} percent
      move the progress bar of {t} to {v} percent
      report {v} percent progress on {t}
      enter {v} percent as the progress of {t}`),
    wishes: lines(`
      {t} is {v} percent complete.
      We have finished {v} percent of {t}.
      {v} percent of {t} is finished.
      Progress of {t}: {v} percent.
      With {t} we are at {v} percent.
      So far {v} percent of {t} is ready.`),
    done: "set the progress of {t} to {v} percent",
    target: true,
    value: numberIn(["percent", "progress", "percent done", "completed"], 5, 100, "progress"),
  },
  {
    key: "log",
    changes: true,
    groups: ["work"],
    names: lines(`
      log {n} time
      track {n} time
      add {n} minutes
      {n} time entry
      record {n} time`),
    descriptions: lines(`
      Record minutes that were spent on {a}
      Log working time on {a}
      Use this when the user says how long he worked on {a}
      Adds a time entry to {a}`),
    clauses: lines(`
      log {v} minutes on {t}
      record {v} minutes of work on {t}
      add {v} minutes to the time sheet of {t}
      enter {v} minutes of work for {t}
      write down {v} minutes for {t}
      book {v} minutes of work on {t}
      note {v} minutes of working time for {t}
      track {v} minutes for {t}`),
    wishes: lines(`
      I spent {v} minutes on {t}.
      I worked on {t} for {v} minutes.
      {t} took {v} minutes of my time.
      My time on {t} was {v} minutes.
      It was {v} minutes of work on {t}.
      Time spent on {t}: {v} minutes.`),
    done: "logged {v} minutes on {t}",
    target: true,
    value: named(FIELDS.minutes, ["minutes", "time spent", "duration", "spent"], "time"),
  },
];
