/** Actions of devices, places and vehicles: locks, repair, cleaning, fuel, readings. */
import { type Action, lines } from "./action.ts";
import { FIELDS, named } from "./fields.ts";

export const UPKEEP_ACTIONS: readonly Action[] = [
  {
    key: "lock",
    changes: true,
    groups: ["device", "document", "place", "vehicle"],
    names: lines(`
      lock {n}
      lock up {n}
      secure {n}
      {n} lock down
      protect {n}`),
    descriptions: lines(`
      Lock {a}
      Protect {a} against changes and strangers
      Use this when nobody else may use {a}
      Locks {a} so that others cannot get in`),
    clauses: lines(`
      lock {t}
      lock up {t}
      secure {t}
      keep others out of {t}
      protect {t} from strangers
      put a lock on {t}
      make {t} safe from others
      see that {t} is locked`),
    wishes: lines(`
      {t} should be locked.
      Nobody may use {t} for now, lock it.
      Is {t} locked? If not, lock it.
      {t} must be safe from strangers.
      I do not want strangers in {t}, so lock it.
      {t} has to stay locked.`),
    done: "locked {t}",
    target: true,
  },
  {
    key: "unlock",
    changes: true,
    groups: ["device", "document", "place", "vehicle"],
    names: lines(`
      unlock {n}
      release {n} lock
      {n} unlock
      free {n}
      open up {n}`),
    descriptions: lines(`
      Unlock {a}
      Make {a} usable again
      Use this when {a} is locked and someone needs it
      Takes the lock off {a}`),
    clauses: lines(`
      unlock {t}
      take the lock off {t}
      unlock {t} again
      let people use {t} again
      release the lock of {t}
      make {t} accessible again
      free {t} from its lock
      undo the lock of {t}`),
    wishes: lines(`
      {t} is locked, but I need it.
      {t} should not be locked any more.
      The lock on {t} must go.
      We have to get into {t}, it is locked.
      Please, {t} without the lock.
      I cannot get into {t} because of the lock.`),
    done: "unlocked {t}",
    target: true,
  },
  {
    key: "repair",
    changes: true,
    groups: ["device", "vehicle"],
    names: lines(`
      repair {n}
      fix {n}
      {n} repair
      send {n} to repair
      get {n} fixed`),
    descriptions: lines(`
      Have {a} repaired
      Order the repair of {a}
      Use this when {a} is broken
      Sends someone who repairs {a}`),
    clauses: lines(`
      repair {t}
      have {t} repaired
      get {t} fixed
      send someone to repair {t}
      order the repair of {t}
      let a mechanic see to {t}
      bring {t} back into working order
      arrange a repair for {t}`),
    wishes: lines(`
      {t} is broken.
      {t} does not work any more.
      {t} needs a repair.
      Somebody has to fix {t}.
      {t} makes strange noises, have it repaired.
      Since yesterday {t} has been out of order.`),
    done: "ordered the repair of {t}",
    target: true,
  },
  {
    key: "clean",
    changes: true,
    groups: ["device", "place", "vehicle"],
    names: lines(`
      clean {n}
      {n} cleaning
      wash {n}
      get {n} cleaned
      order {n} cleaning`),
    descriptions: lines(`
      Have {a} cleaned
      Order the cleaning of {a}
      Use this when {a} is dirty
      Sends the cleaners to {a}`),
    clauses: lines(`
      clean {t}
      have {t} cleaned
      get the dirt off {t}
      order the cleaning of {t}
      send the cleaners to {t}
      give {t} a good clean
      make {t} clean again
      let someone clean {t}`),
    wishes: lines(`
      {t} is dirty.
      {t} needs to be cleaned.
      {t} looks terrible, someone should clean it.
      There is dust all over {t}.
      I want {t} to be clean.
      Can the cleaners see to {t}?`),
    done: "ordered the cleaning of {t}",
    target: true,
  },
  {
    key: "measure",
    changes: false,
    groups: ["device"],
    names: lines(`
      read {n} value
      measure {n}
      {n} reading
      get {n} value
      {n} current value`),
    descriptions: lines(`
      Say what value {a} shows now
      Read the present value of {a}
      Use this when the user asks what {a} shows
      Returns the number that {a} measures`),
    clauses: lines(`
      read the value of {t}
      say what {t} shows
      check what {t} measures
      tell me the value of {t}
      take a reading from {t}
      get the present value of {t}
      find out what value {t} has
      look up what {t} shows now`),
    wishes: lines(`
      What does {t} show?
      What is the value of {t} now?
      Which value does {t} have?
      I need the reading of {t}.
      What does {t} measure at the moment?
      The value of {t}, please.`),
    target: true,
  },
  {
    key: "restart",
    changes: true,
    groups: ["device"],
    names: lines(`
      restart {n}
      reboot {n}
      {n} restart
      reset {n}
      power cycle {n}`),
    descriptions: lines(`
      Restart {a}
      Stop {a} and start it again
      Use this when {a} hangs or behaves oddly
      Reboots {a}`),
    clauses: lines(`
      restart {t}
      reboot {t}
      stop {t} and start it again
      give {t} a restart
      reset {t}
      let {t} start over
      power {t} down and up again
      start {t} afresh`),
    wishes: lines(`
      {t} hangs, so restart it.
      {t} needs a restart.
      {t} is stuck.
      A restart would help {t}.
      {t} does not react, try a restart.
      Maybe {t} works again after a restart.`),
    done: "restarted {t}",
    target: true,
  },
  {
    key: "paint",
    changes: true,
    groups: ["device", "place", "vehicle"],
    names: lines(`
      paint {n}
      set {n} color
      {n} color
      recolor {n}
      change {n} color`),
    descriptions: lines(`
      Give {a} another color
      Change the color of {a}
      Use this when {a} should look different
      Has {a} painted in a color`),
    clauses: lines(`
      paint {t} {v}
      change the color of {t} to {v}
      make {t} {v}
      give {t} the color {v}
      have {t} painted {v}
      let {t} be {v}
      set the color of {t} to {v}
      color {t} {v}`),
    wishes: lines(`
      {t} should be {v}.
      I would like {t} in {v}.
      The color of {t} is {v} from now on.
      {v} looks better on {t}.
      {t} in {v}, please.
      Could {t} be painted {v}?`),
    done: "made {t} {v}",
    target: true,
    value: named(FIELDS.color, ["color", "new color", "paint", "shade"], "color"),
  },
  {
    key: "availability",
    changes: false,
    groups: ["place", "vehicle"],
    names: lines(`
      check {n} availability
      is {n} free
      {n} availability
      {n} free on
      {n} vacancy`),
    descriptions: lines(`
      Say whether {a} is free on a day
      Check if {a} can be had on a date
      Use this to ask whether {a} is free, without reserving it
      Tells if nobody else has {a} on the day`),
    clauses: lines(`
      check whether {t} is free on {v}
      find out if {t} is available on {v}
      see if {t} is free on {v}
      tell me whether {t} is taken on {v}
      check the availability of {t} on {v}
      say whether {t} is still free on {v}
      look up if {t} is available on {v}
      ask if somebody else has {t} on {v}`),
    wishes: lines(`
      Is {t} free on {v}?
      Is {t} taken on {v}?
      Does anybody else have {t} on {v}?
      I wonder whether {t} is free on {v}.
      Is {t} still available on {v}?
      On {v}, is {t} free?`),
    target: true,
    value: named(FIELDS.date, ["date", "day", "on", "when", "check date"], "date"),
  },
  {
    key: "refuel",
    changes: true,
    groups: ["vehicle"],
    names: lines(`
      refuel {n}
      fill up {n}
      {n} fuel
      add {n} fuel
      tank {n}`),
    descriptions: lines(`
      Put fuel into {a}
      Fill some liters into {a}
      Use this when {a} needs fuel
      Records that {a} got fuel`),
    clauses: lines(`
      refuel {t} with {v} liters
      put {v} liters of fuel into {t}
      fill {v} liters into {t}
      give {t} {v} liters of fuel
      pump {v} liters of fuel into {t}
      add {v} liters of fuel to {t}
      get {v} liters of fuel for {t}
      top up {t} with {v} liters`),
    wishes: lines(`
      {t} needs {v} liters of fuel.
      The tank of {t} is nearly empty, {v} liters will do.
      {v} liters of fuel for {t}, please.
      {t} should get {v} liters.
      {t} takes {v} liters of fuel.
      Can {t} get {v} liters of fuel?`),
    done: "put {v} liters into {t}",
    target: true,
    value: named(
      FIELDS.liters,
      ["liters", "fuel", "amount", "volume", "fuel liters"],
      "amount of fuel",
    ),
  },
  {
    key: "dispatch",
    changes: true,
    groups: ["vehicle"],
    names: lines(`
      dispatch {n}
      send {n} off to
      drive {n} to
      {n} target
      route {n}`),
    descriptions: lines(`
      Send {a} to a place
      Let {a} drive to a destination
      Use this when {a} has to go somewhere
      Orders {a} to go to a place`),
    clauses: lines(`
      send {t} to {v}
      dispatch {t} to {v}
      let {t} go to {v}
      order {t} to go to {v}
      direct {t} to {v}
      have {t} sent to {v}
      get {t} on its way to {v}
      set {v} as the destination of {t}`),
    wishes: lines(`
      {t} has to get to {v}.
      They are waiting for {t} in {v}.
      {t} should be on its way to {v}.
      The next stop of {t} is {v}.
      We need {t} in {v}.
      Can {t} go to {v} now?`),
    done: "sent {t} to {v}",
    target: true,
    value: named(
      FIELDS.place,
      ["destination", "place", "to", "target place", "where to"],
      "destination",
    ),
  },
];
