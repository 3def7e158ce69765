/** Changing actions that every subject has. */
import { type Action, lines } from "./action.ts";
import { FIELDS, named } from "./fields.ts";

export const COMMON_ACTIONS: readonly Action[] = [
  {
    key: "create",
    changes: true,
    names: lines(`
      create {n}
      add {n}
      new {n}
      make {n}
      register {n}
      insert {n}
      create new {n}
      enter {n}
      add new {n}
      record {n}`),
    descriptions: lines(`
      Create {a}
      Add a new {n}
      Make {a}
      Register a new {n}
      Enter {a}
      Creates a new {n} with the given values
      Use this to add {a} that does not exist yet
      Sets up {a} and returns its id
      Record a new {n} in the system
      Adds {a} to the list of {s}. Call it when the user wants a new one.
      New {n}`),
    clauses: lines(`
      create {a}
      add {a}
      set up {a}
      make a new {n}
      enter {a}
      put in {a}
      add another {n}
      create a new {n}
      register {a}
      enter a new {n}
      record a new {n}
      put {a} {d} into the system
      add one more {n}
      make {a}`),
    wishes: lines(`
      I need a new {n} {d}.
      There should be {a} {d}.
      One more {n} please, {d}.
      New {n} {d}.
      We are missing {a} {d}, please add it.
      Could I get {a} {d}?
      I would like a new {n} {d}.
      {d}: new {n}, please.
      There is no {n} {d} yet. Please create one.
      Can there be {a} {d}?
      new {n}: {d}
      What we need is {a} {d}.`),
    done: "created {t}",
    details: "record",
  },
  {
    key: "remove",
    changes: true,
    names: lines(`
      cancel {n}
      delete {n}
      remove {n}
      drop {n}
      discard {n}
      erase {n}
      {n} removal
      delete one {n}
      remove {n} by key`),
    descriptions: lines(`
      Remove {a}
      Delete {a}
      Cancel {a}
      Drop {a} for good
      Discard {a}
      Deletes {a}. This cannot be undone easily.
      Use this when {a} is no longer wanted
      Takes {a} out of the system
      Removes the given {n} from the list
      Gets rid of one {n}`),
    clauses: lines(`
      cancel {t}
      delete {t}
      remove {t}
      get rid of {t}
      throw out {t}
      drop {t}
      erase {t}
      take {t} out of the system
      delete {t} for good
      strike {t} from the list
      remove {t} from the list
      discard {t}`),
    wishes: lines(`
      {t} is not needed any more.
      I do not want {t} any longer.
      {t} must go.
      {t} can be deleted.
      We no longer need {t}.
      {t}: delete, please.
      Nobody needs {t} now, so it can go.
      {t} was a mistake, please delete it.
      Could {t} be removed?
      No more {t}, please.`),
    done: "removed {t}",
    target: true,
  },
  {
    key: "rename",
    changes: true,
    groups: ["event", "document", "device", "order", "place", "work", "vehicle", "stock", "animal"],
    names: lines(`
      rename {n}
      retitle {n}
      change {n} name
      set {n} name
      relabel {n}
      update {n} name
      edit {n} title
      give {n} new name`),
    descriptions: lines(`
      Rename {a}
      Give {a} another name
      Change the name of {a}
      Sets a new name for {a}
      Changes what {a} is called
      Use this when {a} should have a different name
      Updates the name of an existing {n}`),
    clauses: lines(`
      rename {t} to {v}
      call {t} {v} from now on
      change the name of {t} to {v}
      give {t} the new name {v}
      set the name of {t} to {v}
      give {t} the name {v}
      let {t} be called {v}
      use {v} as the new name of {t}`),
    wishes: lines(`
      {t} should be called {v}.
      The new name of {t} is {v}.
      {t} needs a new name: {v}.
      {v} is a better name for {t}.
      From now on {t} is called {v}.
      {t} has the wrong name, it should be {v}.
      I would prefer the name {v} for {t}.`),
    done: "renamed {t} to {v}",
    target: true,
    value: named(
      FIELDS.title,
      ["new name", "to", "title", "name to", "new title", "updated name"],
      "new name",
    ),
  },
  {
    key: "annotate",
    changes: true,
    names: lines(`
      annotate {n}
      add {n} note
      comment {n}
      comment on {n}
      write {n} note
      add comment to {n}
      post {n} comment
      {n} remark`),
    descriptions: lines(`
      Add a comment to {a}
      Attach a remark to {a}
      Write a remark on {a}
      Saves a comment with {a}
      Use this to leave a remark on {a}
      Adds the text as a comment to the given {n}
      Comment on {a}`),
    clauses: lines(`
      add the comment {v} to {t}
      write the remark {v} on {t}
      attach the remark {v} to {t}
      leave the comment {v} on {t}
      comment on {t} with {v}
      put the remark {v} on {t}
      note {v} as a comment on {t}
      add the remark {v} to {t}`),
    wishes: lines(`
      {t} needs the remark {v}.
      Please leave {v} as a comment on {t}.
      {v} should be a comment on {t}.
      Comment for {t}: {v}.
      I have a remark on {t}: {v}.
      A remark on {t}, please: {v}.
      On {t} I want the comment {v}.`),
    done: "added the comment to {t}",
    target: true,
    value: named(
      FIELDS.note,
      ["text", "comment", "remark", "body", "comment text", "message"],
      "comment",
    ),
  },
  {
    key: "tag",
    changes: true,
    names: lines(`
      tag {n}
      label {n}
      mark {n}
      categorize {n}
      add {n} tag
      set {n} label
      classify {n}
      add tag to {n}`),
    descriptions: lines(`
      Put a tag on {a}
      Label {a}
      Mark {a} with a tag
      Tag {a}
      Adds a label to {a}
      Use this to put a keyword on {a}
      Attach a tag, one word, to the given {n}`),
    clauses: lines(`
      tag {t} as {v}
      label {t} with {v}
      put the tag {v} on {t}
      mark {t} as {v}
      add the tag {v} to {t}
      give {t} the label {v}
      attach the label {v} to {t}
      tag {t} with {v}`),
    wishes: lines(`
      {t} needs the tag {v}.
      {t} should carry the label {v}.
      The tag {v} fits {t}.
      {v} is the right tag for {t}.
      {t} is missing the label {v}.
      I want the tag {v} on {t}.
      Tag for {t}: {v}.`),
    done: "tagged {t} as {v}",
    target: true,
    value: named(FIELDS.tag, ["tag", "label", "mark", "keyword", "tag name", "label text"], "tag"),
  },
  {
    key: "restore",
    changes: true,
    names: lines(`
      restore {n}
      undelete {n}
      recover {n}
      bring back {n}
      {n} recovery`),
    descriptions: lines(`
      Bring back {a} that was deleted
      Restore {a}
      Recover a deleted {n}
      Undo the removal of {a}
      Use this when {a} was deleted by mistake`),
    clauses: lines(`
      restore {t}
      bring back {t}
      recover {t}
      undelete {t}
      undo the removal of {t}
      bring {t} back from the trash
      get {t} out of the trash
      take back the removal of {t}
      rescue {t} from the trash`),
    wishes: lines(`
      {t} was deleted by mistake, bring it back.
      I want {t} back.
      We still need {t}, please restore it.
      {t} should not have been deleted.
      Can we get {t} back?
      {t} has to come back.
      Somebody deleted {t}, can you undo that?`),
    done: "restored {t}",
    target: true,
  },
  {
    key: "star",
    changes: true,
    names: lines(`
      star {n}
      favorite {n}
      pin {n}
      add {n} to favorites
      bookmark {n}`),
    descriptions: lines(`
      Add {a} to the favorites
      Pin {a} to the top
      Mark {a} as a favorite
      Puts a star on {a}
      Use this when the user likes {a} or needs it often`),
    clauses: lines(`
      add {t} to my favorites
      pin {t} to the top
      keep {t} with my favorites
      make {t} a favorite
      star {t}
      put {t} among the favorites
      keep {t} at the top of the list
      bookmark {t}
      mark {t} as a favorite`),
    wishes: lines(`
      {t} is one of my favorites.
      {t} should be at the top of the list.
      I use {t} all the time, please pin it.
      {t} belongs to the favorites.
      {t} is a favorite of mine.
      I want {t} among my favorites.`),
    done: "added {t} to the favorites",
    target: true,
  },
  {
    key: "newest",
    changes: false,
    names: lines(`
      newest {n}
      latest {n}
      last {n}
      get latest {n}
      most recent {n}`),
    descriptions: lines(`
      Show the newest {n}
      The {n} that was added last
      Get the most recent {n}
      Returns only the latest {n}
      Use this for the last {n} that was entered`),
    clauses: lines(`
      show the newest {n}
      show me the latest {n}
      get the {n} that was added last
      find the most recent {n}
      tell me the newest {n}
      bring up the latest {n}
      show the last {n} that was entered
      give me the most recent {n}
      look up the newest {n}`),
    wishes: lines(`
      Which {n} is the newest?
      What is the latest {n}?
      Which {n} was added last?
      I need the most recent {n}.
      What was the last {n} that we entered?
      The newest {n}, please.
      Do you know the latest {n}?`),
  },
  {
    key: "complain",
    changes: true,
    names: lines(`
      report {n} problem
      report {n}
      flag {n}
      {n} complaint
      report issue with {n}`),
    descriptions: lines(`
      Report a problem with {a}
      Say what is wrong with {a}
      Tell the staff about a fault of {a}
      Sends a complaint about {a}
      Use this when something is wrong with {a}`),
    clauses: lines(`
      report the problem {v} with {t}
      report {v} as a problem with {t}
      report that {t} has the problem {v}
      complain about {t}, saying {v}
      tell the staff that {t} has the fault {v}
      send in a complaint about {t}: {v}
      report the fault {v} of {t}
      flag {t} with the problem {v}
      file a complaint about {t} that says {v}`),
    wishes: lines(`
      There is a problem with {t}: {v}.
      Something is wrong with {t}: {v}.
      I want to complain about {t}: {v}.
      {t} has a fault: {v}. Please report it.
      My complaint about {t} is {v}.
      {t} has the problem {v}, who can fix it?`),
    done: "reported the problem with {t}",
    target: true,
    value: named(
      FIELDS.note,
      ["problem", "issue", "fault", "what is wrong", "complaint"],
      "problem",
    ),
  },
];
