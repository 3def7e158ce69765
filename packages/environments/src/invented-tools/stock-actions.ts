/** Actions of stock. */
import { type Action, lines } from "./action.ts";
import { FIELDS, named } from "./fields.ts";
import { numberIn } from "./field.ts";

export const STOCK_ACTIONS: readonly Action[] = [
  {
    key: "restock",
    changes: true,
    groups: ["stock"],
    names: lines(`
      restock {n}
      refill {n}
      {n} stock up
      add {n} stock
      reorder {n}`),
    descriptions: lines(`
      Add pieces to the stock of {a}
      Order more of {a}
      Use this when {a} is running out
      Raises the stock of {a} by a number of pieces`),
    clauses: lines(`
      restock {t} with {v} pieces
      add {v} pieces to the stock of {t}
      order {v} more pieces of {t}
      bring in {v} more of {t}
      put {v} more pieces of {t} on the shelf
      stock up {t} by {v} pieces
      raise the stock of {t} by {v}
      buy {v} more pieces of {t}`),
    wishes: lines(`
      We are running out of {t}, {v} more would do.
      {t} is nearly gone, get {v} more pieces.
      We need {v} more pieces of {t}.
      There should be {v} more of {t} in stock.
      {v} more pieces of {t}, please.
      Too little is left of {t}, so add {v} pieces.`),
    done: "added {v} pieces to the stock of {t}",
    target: true,
    value: numberIn(["pieces", "quantity", "more", "count", "add"], 2, 90, "number of pieces"),
  },
  {
    key: "take",
    changes: true,
    groups: ["stock"],
    names: lines(`
      take {n}
      use up {n}
      consume {n}
      {n} withdrawal
      take out {n}`),
    descriptions: lines(`
      Take pieces of {a} out of the stock
      Record that pieces of {a} were used
      Use this when someone takes some of {a}
      Lowers the stock of {a}`),
    clauses: lines(`
      take {v} pieces of {t} out of the stock
      take out {v} pieces of {t}
      use {v} pieces of {t}
      lower the stock of {t} by {v}
      record that {v} pieces of {t} were used
      remove {v} pieces of {t} from the shelf
      book out {v} pieces of {t}
      subtract {v} from the stock of {t}`),
    wishes: lines(`
      I took {v} pieces of {t}.
      We used {v} pieces of {t}.
      {v} pieces of {t} are gone.
      {v} pieces of {t} went to the customer.
      The stock of {t} is {v} pieces lower.
      Somebody has taken {v} pieces of {t}.`),
    done: "took {v} pieces of {t} out of the stock",
    target: true,
    value: numberIn(["pieces", "quantity", "taken", "count", "used"], 2, 40, "number of pieces"),
  },
  {
    key: "expiry",
    changes: true,
    groups: ["stock"],
    names: lines(`
      set {n} expiry
      {n} expiry date
      best before {n}
      {n} shelf life
      change {n} expiry`),
    descriptions: lines(`
      Set until when {a} can be used
      Enter the expiry date of {a}
      Use this to record how long {a} keeps
      Saves the best-before date of {a}`),
    clauses: lines(`
      set the expiry date of {t} to {v}
      note that {t} keeps until {v}
      enter {v} as the expiry date of {t}
      record that {t} expires on {v}
      change the best-before date of {t} to {v}
      write down {v} as the last day for {t}
      give {t} the expiry date {v}
      mark {t} as good until {v}`),
    wishes: lines(`
      {t} expires on {v}.
      {t} keeps until {v}.
      {t} is good until {v}.
      The expiry date of {t} is {v}.
      After {v} nobody may use {t}.
      Expiry date for {t}: {v}.`),
    done: "set the expiry date of {t} to {v}",
    target: true,
    value: named(
      FIELDS.due,
      ["expiry", "expiry date", "best before", "until", "expires"],
      "expiry date",
    ),
  },
];
