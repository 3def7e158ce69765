/** Actions of orders and events: delivery, money back, guests, start and length. */
import { type Action, lines } from "./action.ts";
import { FIELDS, named } from "./fields.ts";
import { numberIn } from "./field.ts";

export const ORDER_ACTIONS: readonly Action[] = [
  {
    key: "track",
    changes: false,
    groups: ["order"],
    names: lines(`
      track {n}
      where is {n}
      {n} position
      locate {n}
      {n} tracking`),
    descriptions: lines(`
      Say where {a} is at the moment
      Track {a} on its way
      Use this when the user asks where {a} is
      Returns the present place of {a}`),
    clauses: lines(`
      track {t}
      find out where {t} is right now
      say where {t} is at the moment
      locate {t}
      check where {t} has got to
      tell me the present place of {t}
      trace {t}
      see how far {t} has come`),
    wishes: lines(`
      Where is {t} at the moment?
      How far has {t} come?
      Has {t} got stuck somewhere?
      Where has {t} got to?
      I am waiting for {t}, where is it?
      In which city is {t} now?
      Any news on the way of {t}?`),
    target: true,
  },
  {
    key: "refund",
    changes: true,
    groups: ["order"],
    names: lines(`
      refund {n}
      {n} refund
      pay back {n}
      return money for {n}
      reimburse {n}`),
    descriptions: lines(`
      Give the money for {a} back
      Refund {a}
      Use this when the customer wants the money back
      Pays back what was paid for {a}`),
    clauses: lines(`
      refund {t}
      give the money for {t} back
      pay back {t}
      return the money for {t}
      reimburse {t} in full
      send the money for {t} back
      issue a refund for {t}
      hand back what was paid for {t}`),
    wishes: lines(`
      I want my money back for {t}.
      {t} must be paid back.
      The customer wants a refund for {t}.
      Can I get the money for {t} back?
      We should return the money for {t}.
      The money for {t} has to go back.`),
    done: "refunded {t}",
    target: true,
  },
  {
    key: "quantity",
    changes: true,
    groups: ["order", "stock"],
    names: lines(`
      set {n} quantity
      change {n} quantity
      {n} quantity
      update {n} count
      adjust {n} amount`),
    descriptions: lines(`
      Change how many pieces {a} has
      Set the quantity of {a}
      Use this when more or fewer pieces are wanted
      Updates the number of pieces of {a}`),
    clauses: lines(`
      set the quantity of {t} to {v}
      change the quantity of {t} to {v}
      make it {v} pieces for {t}
      put the number of pieces of {t} to {v}
      change {t} to {v} pieces
      let {t} have {v} pieces
      update the quantity of {t} to {v}
      correct the quantity of {t} to {v}`),
    wishes: lines(`
      {t} should have {v} pieces.
      The right quantity for {t} is {v}.
      We want {v} pieces for {t} instead.
      For {t} the quantity is {v} now.
      {t} is {v} pieces, not more and not less.
      Quantity of {t}: {v}.`),
    done: "set the quantity of {t} to {v}",
    target: true,
    value: numberIn(["quantity", "count", "pieces", "new quantity", "amount"], 2, 90, "quantity"),
  },
  {
    key: "redirect",
    changes: true,
    groups: ["order"],
    names: lines(`
      redirect {n}
      set {n} destination
      change {n} address
      reroute {n}
      {n} destination`),
    descriptions: lines(`
      Send {a} to another place
      Change where {a} goes
      Use this when {a} has to go to another address
      Sets a new destination for {a}`),
    clauses: lines(`
      redirect {t} to {v}
      send {t} to {v} instead
      deliver {t} to {v}
      change the destination of {t} to {v}
      reroute {t} to {v}
      let {t} go to {v}
      set {v} as the destination of {t}
      have {t} delivered to {v}`),
    wishes: lines(`
      {t} has to go to {v} instead.
      The new destination of {t} is {v}.
      We moved, so {t} should go to {v}.
      {t} goes to {v}.
      Can {t} be delivered to {v}?
      {v} is where {t} should arrive.`),
    done: "redirected {t} to {v}",
    target: true,
    value: named(
      FIELDS.place,
      ["destination", "address", "new destination", "deliver to", "place"],
      "destination",
    ),
  },
  {
    key: "discount",
    changes: true,
    groups: ["order", "stock"],
    names: lines(`
      discount {n}
      give {n} discount
      {n} discount
      apply {n} discount
      reduce {n}`),
    descriptions: lines(`
      Give a discount on {a} in percent
      Make {a} cheaper by some percent
      Use this when the customer gets {a} for less
      Applies a percentage off to {a}`),
    clauses: lines(`
      give {v} percent off on {t}
      apply a discount of {v} percent to {t}
      take {v} percent off {t}
      make {t} {v} percent cheaper
      put a {v} percent discount on {t}
      reduce {t} by {v} percent
      grant {v} percent off for {t}
      lower {t} by {v} percent`),
    wishes: lines(`
      {t} gets a discount of {v} percent.
      There should be {v} percent off on {t}.
      {v} percent discount for {t}, please.
      We offer {t} with {v} percent off.
      The discount on {t} is {v} percent.
      {t} is {v} percent cheaper for regular customers.`),
    done: "gave {v} percent off on {t}",
    target: true,
    value: numberIn(["percent", "discount", "percent off", "reduction"], 5, 70, "discount"),
  },
  {
    key: "insure",
    changes: true,
    groups: ["order", "vehicle", "stock"],
    names: lines(`
      insure {n}
      {n} insurance
      cover {n}
      protect {n} value
      add {n} insurance`),
    descriptions: lines(`
      Insure {a} for a sum
      Take out insurance for {a}
      Use this when {a} needs insurance
      Covers {a} up to an amount of money`),
    clauses: lines(`
      insure {t} for {v} euros
      take out insurance of {v} euros for {t}
      cover {t} with {v} euros
      get insurance of {v} euros for {t}
      insure {t} up to {v} euros
      buy insurance over {v} euros for {t}
      add {v} euros of insurance to {t}
      arrange insurance of {v} euros for {t}`),
    wishes: lines(`
      {t} needs insurance of {v} euros.
      I want {t} to be insured for {v} euros.
      The insurance of {t} should cover {v} euros.
      Without insurance {t} is too risky, {v} euros will do.
      If {t} gets lost, I want {v} euros of insurance.
      Can you insure {t} for {v} euros?`),
    done: "insured {t} for {v}",
    target: true,
    value: named(FIELDS.price, ["sum", "amount", "coverage", "insured sum"], "sum"),
  },
  {
    key: "start-time",
    changes: true,
    groups: ["event"],
    names: lines(`
      set {n} start
      change {n} time
      {n} start time
      set {n} hour
      retime {n}`),
    descriptions: lines(`
      Change the time of day at which {a} starts
      Set the start time of {a}
      Use this when {a} begins earlier or later on the same day
      Gives {a} another clock time`),
    clauses: lines(`
      let {t} start at {v}
      change the start of {t} to {v}
      set the start time of {t} to {v}
      begin {t} at {v}
      have {t} begin at {v}
      move the start of {t} to {v}
      put the start of {t} at {v}
      start {t} at {v} instead`),
    wishes: lines(`
      {t} begins at {v} instead.
      {t} should start at {v}.
      Can {t} start at {v}?
      The new start time of {t} is {v}.
      {v} is a better time for {t} to start.
      I can be at {t} from {v}, so let it start then.`),
    done: "set the start of {t} to {v}",
    target: true,
    value: named(
      FIELDS.time,
      ["time", "start time", "start", "new time", "begins at"],
      "start time",
    ),
  },
  {
    key: "length",
    changes: true,
    groups: ["event"],
    names: lines(`
      set {n} length
      {n} length
      extend {n}
      set {n} duration
      change {n} duration`),
    descriptions: lines(`
      Change how many minutes {a} takes
      Set the length of {a}
      Use this when {a} has to be longer or shorter
      Sets the duration of {a} in minutes`),
    clauses: lines(`
      set the length of {t} to {v} minutes
      make {t} {v} minutes long
      let {t} last {v} minutes
      change the duration of {t} to {v} minutes
      plan {v} minutes for {t}
      give {t} a length of {v} minutes
      stretch or cut {t} to {v} minutes
      have {t} last {v} minutes`),
    wishes: lines(`
      {t} should take {v} minutes.
      {v} minutes are right for {t}.
      {t} lasts {v} minutes now.
      We need {v} minutes for {t}.
      The length of {t} should be {v} minutes.
      Can {t} be {v} minutes long?`),
    done: "set the length of {t} to {v} minutes",
    target: true,
    value: named(FIELDS.minutes, ["minutes", "length", "duration", "duration minutes"], "length"),
  },
  {
    key: "uninvite",
    changes: true,
    groups: ["event"],
    names: lines(`
      uninvite from {n}
      remove guest from {n}
      {n} guest removal
      take off {n}
      excuse from {n}`),
    descriptions: lines(`
      Take a person off the guest list of {a}
      Remove a guest from {a}
      Use this when someone will not come to {a}
      Cancels the invitation of one person to {a}`),
    clauses: lines(`
      take {v} off the guest list of {t}
      remove {v} from {t}
      uninvite {v} from {t}
      excuse {v} from {t}
      strike {v} from the guest list of {t}
      cancel the invitation of {v} to {t}
      sign {v} off from {t}
      tell {t} to go on without {v}`),
    wishes: lines(`
      {v} cannot come to {t}.
      {v} will not be at {t}.
      {t} takes place without {v}.
      {v} has to miss {t}.
      {v} is too ill for {t}, take the name off the list.
      {v} does not want to join {t} any more.`),
    done: "removed {v} from {t}",
    target: true,
    value: named(FIELDS.person, ["guest", "person", "attendee", "who", "name of guest"], "guest"),
  },
  {
    key: "limit",
    changes: true,
    groups: ["event", "place"],
    names: lines(`
      limit {n}
      set {n} capacity
      {n} capacity
      set {n} seats
      cap {n}`),
    descriptions: lines(`
      Set how many people fit into {a}
      Limit the number of people of {a}
      Use this when there are more or fewer seats
      Sets the capacity of {a}`),
    clauses: lines(`
      limit {t} to {v} people
      set the capacity of {t} to {v} people
      allow {v} people in {t}
      let at most {v} people into {t}
      set the number of seats of {t} to {v}
      give {t} {v} seats
      cap {t} at {v} people
      allow no more than {v} people at {t}`),
    wishes: lines(`
      {t} has room for {v} people.
      At most {v} people can be at {t}.
      There are only {v} seats for {t}.
      The limit for {t} is {v} people.
      {t} must not have more than {v} people.
      Seats of {t}: {v}.`),
    done: "limited {t} to {v} people",
    target: true,
    value: numberIn(
      ["people", "capacity", "limit", "seats", "max people"],
      2,
      90,
      "number of people",
    ),
  },
];
