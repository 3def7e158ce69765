/** Actions of devices, places and orders: power, levels, money, stars. */
import { type Action, lines } from "./action.ts";
import { FIELDS, named } from "./fields.ts";
import { numberIn, oneOf } from "./field.ts";

export const DEVICE_ACTIONS: readonly Action[] = [
  {
    key: "switch",
    changes: true,
    groups: ["device"],
    names: lines(`
      switch {n}
      turn {n}
      toggle {n}
      set {n} state
      {n} power
      set {n} power
      {n} on off
      power {n}
      {n} switch`),
    descriptions: lines(`
      Switch {a} on or off
      Turn {a} on or off
      Power for {a}
      Turns {a} on or off
      Use this to start or stop {a}
      Controls the power of {a}`),
    clauses: lines(`
      switch {t} {v}
      turn {t} {v}
      put {t} {v}
      switch {v} {t}
      turn {v} {t}
      make sure that {t} is {v}
      set {t} to {v}
      see that {t} is {v}
      power {v} {t}`),
    wishes: lines(`
      {t} should be {v}.
      I want {t} to be {v}.
      Could {t} be {v}, please?
      {t} has to be {v} now.
      {t} {v}, please.
      Is it possible to have {t} {v}?
      I need {t} {v}.`),
    done: "switched {t} {v}",
    target: true,
    value: oneOf(["state", "power", "to", "mode"], ["on", "off"], "state"),
  },
  {
    key: "level",
    changes: true,
    groups: ["device"],
    names: lines(`
      set {n} level
      adjust {n}
      {n} level
      tune {n}
      set {n}
      change {n} level
      {n} strength
      set {n} percent
      {n} intensity`),
    descriptions: lines(`
      Set the level of {a}
      Adjust {a}, 0 to 100
      Set {a} to a level
      Sets how strong {a} works, in percent
      Use this to make {a} stronger or weaker
      Changes the level of {a} to a value from 0 to 100`),
    clauses: lines(`
      set the level of {t} to {v}
      bring {t} to {v} percent
      turn {t} to {v} percent
      run {t} at {v} percent
      put {t} at level {v}
      change the level of {t} to {v}
      dial {t} to {v} percent
      adjust {t} to {v} percent`),
    wishes: lines(`
      {t} at {v} percent, please.
      {t} should run at {v} percent.
      I would like {t} at {v} percent.
      The level of {t} should be {v}.
      {v} percent is right for {t}.
      Can {t} run at {v} percent?
      {t} to {v} percent, please.`),
    done: "set {t} to {v}",
    target: true,
    value: numberIn(["level", "percent", "value", "strength"], 0, 100, "level"),
  },
  {
    key: "timer",
    changes: true,
    groups: ["device"],
    names: lines(`
      schedule {n}
      start {n} at
      {n} timer
      program {n}
      set {n} time
      {n} run time
      delay {n} start
      set {n} timer
      {n} schedule`),
    descriptions: lines(`
      Start {a} at a time
      Program a start time for {a}
      Schedule {a}
      Lets {a} start by itself at a given time
      Use this when {a} should run later
      Sets the time at which {a} starts`),
    clauses: lines(`
      start {t} at {v}
      let {t} begin at {v}
      program {t} for {v}
      schedule {t} for {v}
      set the timer of {t} to {v}
      have {t} start at {v}
      set {t} to start at {v}
      make {t} begin at {v}`),
    wishes: lines(`
      {t} should start at {v}.
      At {v} {t} has to run.
      I want {t} to start at {v}.
      {v} is the time when {t} should begin.
      Can {t} start at {v} on its own?
      The timer of {t} should say {v}.
      Start time of {t}: {v}.`),
    done: "scheduled {t} for {v}",
    target: true,
    value: named(FIELDS.time, ["time", "start", "at", "start time"], "start time"),
  },
  {
    key: "relocate",
    changes: true,
    groups: ["device", "work", "event", "stock", "plant", "animal"],
    names: lines(`
      relocate {n}
      set {n} place
      change {n} place
      transfer {n}
      bring {n}
      move {n} to place
      set {n} location
      {n} location
      update {n} location`),
    descriptions: lines(`
      Change the place of {a}
      Put {a} in another place
      Relocate {a}
      Records that {a} is somewhere else
      Use this when {a} gets another place
      Sets the location of {a}`),
    clauses: lines(`
      bring {t} to {v}
      relocate {t} to {v}
      change the place of {t} to {v}
      move {t} over to {v}
      transfer {t} to {v}
      set the location of {t} to {v}
      take {t} to {v}
      give {t} the new place {v}`),
    wishes: lines(`
      The new place of {t} is {v}.
      {t} is in {v} from now on.
      {t} should be in {v}.
      {v} is a better place for {t}.
      Location of {t}: {v} from today.
      We want {t} in {v}.`),
    done: "relocated {t} to {v}",
    target: true,
    value: named(FIELDS.place, ["place", "to", "new place", "location"], "new place"),
  },
  {
    key: "status",
    changes: true,
    groups: ["order", "work", "device", "place", "vehicle"],
    names: lines(`
      set {n} status
      update {n} status
      change {n} state
      {n} status
      update {n}
      {n} status update
      mark {n} status
      set {n} condition`),
    descriptions: lines(`
      Change the status of {a}
      Set the status of {a}
      Update the status of {a}
      Changes the state of {a}
      Use this when {a} is open, waiting, done or blocked
      Sets the given {n} to a new status`),
    clauses: lines(`
      set the status of {t} to {v}
      change the status of {t} to {v}
      declare {t} {v}
      update the status of {t} to {v}
      give {t} the status {v}
      mark the status of {t} as {v}
      put the status of {t} to {v}
      record that {t} is {v}`),
    wishes: lines(`
      {t} is {v} now.
      {t} counts as {v} from today.
      The status of {t} is {v}.
      {t} should have the status {v}.
      Status of {t}: {v}.
      Please set the status of {t} to {v}.`),
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
    names: lines(`
      pay {n}
      settle {n}
      pay for {n}
      charge {n}
      {n} payment
      make {n} payment
      pay off {n}
      pay amount for {n}`),
    descriptions: lines(`
      Pay an amount for {a}
      Settle {a}
      Make a payment for {a}
      Pays a sum of money for {a}
      Use this to pay for {a}
      Transfers money for {a}`),
    clauses: lines(`
      pay {v} for {t}
      transfer {v} euros for {t}
      settle {t} with {v} euros
      pay {v} euros for {t}
      put {v} euros towards {t}
      make a payment of {v} for {t}
      send {v} euros for {t}
      spend {v} on {t}`),
    wishes: lines(`
      {v} euros go to {t}.
      I want to pay {v} on {t}.
      {v} should be paid for {t}.
      I owe {v} for {t}, please pay it.
      We have to pay {v} euros for {t}.
      A payment of {v} for {t}, please.`),
    done: "paid {v} for {t}",
    target: true,
    value: named(FIELDS.price, ["amount", "sum", "euros", "payment"], "amount"),
  },
  {
    key: "reserve",
    changes: true,
    groups: ["place", "device", "vehicle"],
    names: lines(`
      reserve {n}
      book {n}
      hold {n}
      block {n}
      rent {n}
      book {n} for day
      {n} booking
      make {n} reservation
      keep {n}`),
    descriptions: lines(`
      Reserve {a} for a day
      Book {a} on a date
      Hold {a} for a day
      Makes a reservation of {a} for one day
      Use this when the user wants to have {a} on a date
      Reserves the given {n}`),
    clauses: lines(`
      reserve {t} for {v}
      book {t} on {v}
      hold {t} on {v}
      get me {t} for {v}
      make a reservation of {t} for {v}
      block {t} on {v} for me
      keep {t} free for me on {v}
      book {t} for {v}`),
    wishes: lines(`
      I want to use {t} on {v}.
      Is {t} mine on {v}? Please book it.
      On {v} I need {t}.
      Can I have {t} on {v}?
      I would like to have {t} on {v}.
      We want to book {t} for {v}.
      {t} for {v}, please reserve it.`),
    done: "reserved {t} for {v}",
    target: true,
    value: named(FIELDS.date, ["date", "day", "when", "on"], "date"),
  },
  {
    key: "rate",
    changes: true,
    groups: ["place", "document", "order", "stock"],
    names: lines(`
      rate {n}
      review {n}
      score {n}
      give {n} stars
      {n} rating
      add {n} rating
      submit {n} rating
      rate one {n}`),
    descriptions: lines(`
      Give {a} 1 to 5 stars
      Rate {a}
      Score {a} from 1 to 5
      Gives {a} a rating from 1 to 5
      Use this when the user says how good {a} is
      Saves a rating of {a}`),
    clauses: lines(`
      rate {t} with {v} stars
      give {t} {v} stars
      score {t} with {v}
      give {v} points to {t}
      rate {t} {v} out of 5
      give {t} a rating of {v}
      put {v} stars on {t}
      rate {t} at {v}`),
    wishes: lines(`
      {t} deserves {v} stars.
      My rating for {t} is {v}.
      {v} stars for {t}.
      {t} gets {v} out of 5 from me.
      I give {t} {v} stars.
      For me {t} is worth {v} stars.`),
    done: "rated {t} with {v}",
    target: true,
    value: numberIn(["stars", "rating", "score", "points"], 1, 5, "number of stars"),
  },
  {
    key: "reprice",
    changes: true,
    groups: ["place", "order", "work", "stock", "vehicle"],
    names: lines(`
      set {n} price
      reprice {n}
      change {n} price
      update {n} price
      {n} price
      {n} price update
      set price of {n}
      edit {n} price`),
    descriptions: lines(`
      Change the price of {a}
      Set what {a} costs
      Give {a} a new price
      Sets a new price for {a}
      Use this when {a} gets cheaper or dearer
      Updates the price of the given {n}`),
    clauses: lines(`
      set the price of {t} to {v}
      change the price of {t} to {v}
      offer {t} for {v} euros
      make {v} the price of {t}
      let {t} cost {v}
      set {v} as the new price of {t}
      put a price of {v} on {t}
      sell {t} at the price of {v}`),
    wishes: lines(`
      {t} costs {v} now.
      The price of {t} should be {v}.
      The new price of {t} is {v}.
      {t} should cost {v}.
      From today {t} costs {v} euros.
      New price for {t}: {v}.`),
    done: "set the price of {t} to {v}",
    target: true,
    value: named(FIELDS.price, ["price", "new price", "cost", "to"], "new price"),
  },
];
