/** Reading actions that every subject has. */
import { type Action, lines } from "./action.ts";

export const READING_ACTIONS: readonly Action[] = [
  {
    key: "find",
    changes: false,
    names: lines(`
      find {s}
      search {s}
      look up {s}
      query {s}
      find {n}
      {n} search
      filter {s}
      find matching {s}
      lookup {n}`),
    descriptions: lines(`
      Find {s}
      Search for {s}
      Look up {s}
      Search all {s}
      Find {s} that match the given values
      Searches the {s} and returns those that fit
      Use this to look for {s} with certain properties
      Filters the {s} by one or more values
      Returns {s} that meet the conditions`),
    clauses: lines(`
      find {s} {d}
      search for {s} {d}
      look for {a} {d}
      look up {s} {d}
      find {a} {d}
      search all {s} {d}
      see if there is {a} {d}
      check whether there are {s} {d}
      find all {s} {d}
      find out which {s} there are {d}`),
    wishes: lines(`
      Which {s} are there {d}?
      Is there {a} {d}?
      Do we have {s} {d}?
      Are there any {s} {d}?
      I am looking for {a} {d}.
      Do you see {a} {d}?
      I am searching for {s} {d}.
      Any {s} {d}?
      Can you see if we have {s} {d}?
      I wonder if there is {a} {d}.
      Only {s} {d}, please.`),
    details: "filter",
  },
  {
    key: "list",
    changes: false,
    names: lines(`
      list {s}
      all {s}
      get {s}
      show {s}
      browse {s}
      list all {s}
      get all {s}
      fetch {s}
      {n} list
      {n} overview`),
    descriptions: lines(`
      List all {s}
      Show every {n}
      Give all {s}
      Browse the {s}
      Returns the complete list of {s}
      Get an overview of all {s}, without any filter
      Lists the {s} that exist
      All {s} with their ids
      Use this to see every {n}`),
    clauses: lines(`
      list all {s}
      show me all {s}
      give me the list of {s}
      display every {n}
      list the {s}
      show all the {s}
      print the list of all {s}
      bring up all {s}
      get the full list of {s}
      show the whole list of {s}
      fetch all the {s}`),
    wishes: lines(`
      What {s} do I have?
      I want to see all my {s}.
      Which {s} exist at all?
      What {s} are there?
      All {s}, please.
      I need an overview of the {s}.
      Let me see every {n}.
      Which {s} do we have?
      My {s}, all of them.
      I would like to see the list of {s}.`),
  },
  {
    key: "get",
    changes: false,
    names: lines(`
      get {n}
      show {n}
      read {n}
      {n} details
      open {n}
      {n} info
      view {n}
      fetch {n}
      get {n} details
      load {n}
      describe {n}`),
    descriptions: lines(`
      Show one {n}
      Get the details of {a}
      Read {a}
      Details of one {n}
      Returns everything that is known about {a}
      Fetch a single {n}
      Use this to see the details of one {n}
      Get information about the given {n}
      Loads {a} with all its fields`),
    clauses: lines(`
      show me {t}
      open {t}
      look at {t}
      give me the details of {t}
      display {t}
      show the details of {t}
      pull up {t}
      tell me about {t}
      get the information on {t}
      view {t}
      show everything about {t}`),
    wishes: lines(`
      What do we know about {t}?
      I want to look at {t}.
      Details of {t}?
      What about {t}?
      I would like to know more about {t}.
      Let me see {t}.
      What does the system say about {t}?
      {t}: details, please.
      What is known about {t}?
      Can I see {t}?`),
    target: true,
  },
  {
    key: "count",
    changes: false,
    names: lines(`
      count {s}
      number of {s}
      how many {s}
      {n} count
      total {s}
      count all {s}
      get {n} count
      tally {s}`),
    descriptions: lines(`
      Count the {s}
      Number of {s}
      Say how many {s} there are
      Returns the number of {s}
      Counts {s} and returns only the number
      Use this when the user asks how many {s} there are
      Total number of {s}
      Tells how many {s} exist`),
    clauses: lines(`
      count the {s} {d}
      say how many {s} there are {d}
      give the number of {s} {d}
      count all {s} {d}
      find out how many {s} there are {d}
      tell me how many {s} we have {d}
      work out the number of {s} {d}
      check how many {s} there are {d}`),
    wishes: lines(`
      How many {s} are there {d}?
      What is the number of {s} {d}?
      How many {s} {d}?
      How many {s} do we have {d}?
      I need to know how many {s} there are {d}.
      Number of {s} {d}?
      Do you know how many {s} we have {d}?
      I wonder how many {s} there are {d}.`),
    details: "filters",
  },
];
