/** Actions of people, animals and plants. */
import { type Action, lines } from "./action.ts";
import { FIELDS, named } from "./fields.ts";
import { numberIn } from "./field.ts";

export const LIVING_ACTIONS: readonly Action[] = [
  {
    key: "message",
    changes: true,
    groups: ["person"],
    names: lines(`
      message {n}
      write to {n}
      send {n} message
      text {n}
      contact {n}`),
    descriptions: lines(`
      Send a message to {a}
      Write a short message to {a}
      Use this to tell {a} something
      Sends the text to {a}`),
    clauses: lines(`
      send {t} the message {v}
      write {v} to {t}
      tell {t} {v}
      text {v} to {t}
      let {t} know {v}
      send the message {v} to {t}
      drop {t} a line saying {v}
      get the message {v} to {t}`),
    wishes: lines(`
      {t} should know this: {v}.
      My message to {t} is {v}.
      {t} has to hear {v}.
      Message for {t}: {v}.
      I want to say {v} to {t}.
      Can you tell {t} {v}?`),
    done: "sent the message to {t}",
    target: true,
    value: named(FIELDS.note, ["message", "text", "body", "content"], "message"),
  },
  {
    key: "phone",
    changes: true,
    groups: ["person"],
    names: lines(`
      set {n} phone
      {n} phone number
      update {n} phone
      change {n} number
      save {n} phone`),
    descriptions: lines(`
      Save a phone number of {a}
      Change the phone number of {a}
      Use this when {a} has another phone number
      Updates how {a} can be called`),
    clauses: lines(`
      set the phone number of {t} to {v}
      change the phone number of {t} to {v}
      save {v} as the phone number of {t}
      update the phone number of {t} to {v}
      note {v} as the phone number of {t}
      store the phone number {v} for {t}
      give {t} the phone number {v}
      enter the phone number {v} for {t}`),
    wishes: lines(`
      {t} has a new phone number: {v}.
      You can call {t} at {v} from now on.
      The phone number of {t} is {v}.
      New number for {t}: {v}.
      The number of {t} was wrong, {v} is right.
      {t} can be reached by phone at {v}.`),
    done: "set the phone number of {t} to {v}",
    target: true,
    value: named(
      FIELDS.phone,
      ["phone", "phone number", "number", "new number", "tel"],
      "phone number",
    ),
  },
  {
    key: "mailbox",
    changes: true,
    groups: ["person"],
    names: lines(`
      set {n} email
      {n} email
      update {n} email
      change {n} mail
      save {n} email`),
    descriptions: lines(`
      Save an email address of {a}
      Change the email address of {a}
      Use this when {a} has another email address
      Updates the mail address of {a}`),
    clauses: lines(`
      set the email of {t} to {v}
      change the email address of {t} to {v}
      save {v} as the email of {t}
      update the mail address of {t} to {v}
      note {v} as the email of {t}
      store the email {v} for {t}
      enter {v} as the mail address of {t}
      replace the email of {t} by {v}`),
    wishes: lines(`
      {t} has a new email address: {v}.
      Mails to {t} go to {v} from now on.
      The email of {t} is {v}.
      New mail address of {t}: {v}.
      The mail address of {t} was wrong, {v} is right.
      {t} reads mails at {v}.`),
    done: "set the email of {t} to {v}",
    target: true,
    value: named(FIELDS.email, ["email", "email address", "mail", "new email"], "email address"),
  },
  {
    key: "role",
    changes: true,
    groups: ["person"],
    names: lines(`
      set {n} role
      {n} job
      promote {n}
      change {n} job
      set {n} position`),
    descriptions: lines(`
      Change the job of {a}
      Give {a} another role
      Use this when {a} does other work from now on
      Sets what {a} works as`),
    clauses: lines(`
      change the job of {t} to {v}
      set the role of {t} to {v}
      give {t} the job of {v}
      employ {t} in the role of {v}
      enter {v} as the job of {t}
      put {t} in the position of {v}
      record that {t} has the job of {v}
      update the job of {t} to {v}`),
    wishes: lines(`
      The new job of {t} is {v}.
      {t} has the role of {v} from now on.
      {t} changed jobs: {v}.
      Job of {t}: {v}.
      {t} has found work in the role of {v}.
      The position of {t} should be {v}.`),
    done: "set the job of {t} to {v}",
    target: true,
    value: named(FIELDS.job, ["job", "role", "position", "occupation", "new job"], "job"),
  },
  {
    key: "visit",
    changes: true,
    groups: ["person", "animal"],
    names: lines(`
      visit {n}
      plan {n} visit
      {n} visit
      see {n}
      schedule {n} visit`),
    descriptions: lines(`
      Plan a visit to {a} on a day
      Put a visit to {a} into the calendar
      Use this when someone should go and see {a}
      Schedules a visit to {a}`),
    clauses: lines(`
      plan a visit to {t} on {v}
      visit {t} on {v}
      put a visit to {t} on {v} into the calendar
      schedule a visit to {t} for {v}
      arrange a visit to {t} on {v}
      go and see {t} on {v}
      set up a visit to {t} for {v}
      note a visit to {t} on {v}`),
    wishes: lines(`
      {t} should get a visit on {v}.
      On {v} somebody must see {t}.
      I want to see {t} on {v}.
      Could someone visit {t} on {v}?
      A visit to {t} on {v}, please.
      {t} expects us on {v}.`),
    done: "planned a visit to {t} on {v}",
    target: true,
    value: named(FIELDS.date, ["date", "day", "visit date", "when", "on"], "day of the visit"),
  },
  {
    key: "feed",
    changes: true,
    groups: ["animal"],
    names: lines(`
      feed {n}
      give {n} food
      {n} feeding
      feed grams to {n}
      {n} meal`),
    descriptions: lines(`
      Feed {a} some grams of food
      Give food to {a}
      Use this when {a} is hungry
      Records what {a} gets to eat, in grams`),
    clauses: lines(`
      feed {t} {v} grams
      give {t} {v} grams of food
      give {v} grams of food to {t}
      let {t} eat {v} grams
      put out {v} grams of food for {t}
      feed {v} grams to {t}
      serve {t} {v} grams
      fill the bowl of {t} with {v} grams`),
    wishes: lines(`
      {t} is hungry, {v} grams will do.
      {t} should get {v} grams of food.
      {t} needs {v} grams of food.
      Food for {t}, {v} grams.
      {t} has not eaten yet, give it {v} grams.
      Can {t} have {v} grams of food?`),
    done: "fed {t} {v} grams",
    target: true,
    value: numberIn(
      ["grams", "food", "amount", "food grams", "portion"],
      10,
      900,
      "amount of food",
    ),
  },
  {
    key: "treat",
    changes: true,
    groups: ["animal", "plant"],
    names: lines(`
      treat {n}
      give {n} medicine
      {n} treatment
      cure {n}
      medicate {n}`),
    descriptions: lines(`
      Treat {a} with a medicine
      Give a remedy to {a}
      Use this when {a} is ill
      Records a treatment of {a}`),
    clauses: lines(`
      treat {t} with {v}
      give {t} the remedy {v}
      use {v} on {t}
      give {t} a dose of {v}
      apply {v} to {t}
      cure {t} with {v}
      let {t} have the medicine {v}
      try {v} on {t}`),
    wishes: lines(`
      {t} is ill and needs {v}.
      {v} should help {t}.
      {t} needs a treatment with {v}.
      {t} does not look well, give it {v}.
      Against the illness of {t} we use {v}.
      The vet says {t} should get {v}.`),
    done: "treated {t} with {v}",
    target: true,
    value: named(FIELDS.title, ["remedy", "medicine", "treatment", "with", "product"], "remedy"),
  },
  {
    key: "water",
    changes: true,
    groups: ["plant"],
    names: lines(`
      water {n}
      give {n} water
      {n} watering
      irrigate {n}
      pour water on {n}`),
    descriptions: lines(`
      Water {a} with some liters
      Give water to {a}
      Use this when {a} is dry
      Pours water on {a}, in liters`),
    clauses: lines(`
      water {t} with {v} liters
      give {t} {v} liters of water
      pour {v} liters on {t}
      give {v} liters of water to {t}
      let {t} have {v} liters of water
      bring {v} liters of water to {t}
      put {v} liters of water on {t}
      irrigate {t} with {v} liters`),
    wishes: lines(`
      {t} is dry, {v} liters will do.
      {t} needs {v} liters of water.
      {t} should get {v} liters.
      {v} liters of water for {t}, please.
      The soil of {t} is like dust, give it {v} liters.
      {t} is thirsty, so {v} liters of water.`),
    done: "gave {t} {v} liters of water",
    target: true,
    value: named(
      FIELDS.liters,
      ["liters", "water", "amount", "volume", "water liters"],
      "amount of water",
    ),
  },
  {
    key: "harvest",
    changes: true,
    groups: ["plant"],
    names: lines(`
      harvest {n}
      pick {n}
      {n} harvest
      record {n} yield
      {n} yield`),
    descriptions: lines(`
      Record how much was harvested from {a}
      Enter the harvest of {a} in kilograms
      Use this when something was picked from {a}
      Saves the yield of {a}`),
    clauses: lines(`
      record a harvest of {v} kg from {t}
      enter {v} kg as the harvest of {t}
      note {v} kg of harvest for {t}
      write down {v} kg as the yield of {t}
      log {v} kg from {t}
      add {v} kg to the harvest of {t}
      book {v} kg as picked from {t}
      save a yield of {v} kg for {t}`),
    wishes: lines(`
      We picked {v} kg from {t}.
      {t} gave us {v} kg.
      The harvest of {t} was {v} kg.
      The yield of {t} is {v} kg.
      {t} has brought in {v} kg.
      From {t} we got {v} kg.`),
    done: "recorded {v} kg from {t}",
    target: true,
    value: named(FIELDS.weight, ["kg", "yield", "weight", "harvest kg", "amount"], "yield"),
  },
];
