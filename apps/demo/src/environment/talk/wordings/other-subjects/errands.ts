/** Requests to book, remind, call, switch, program or write something, which a shop's assistant does not do. */
import { type Subject, valuesOf } from "../subject.ts";

const BOOKINGS =
  valuesOf(`a table for three, a table for six, a table by the window, a hotel room, a double room,
  a haircut, a manicure, a massage, a dentist's appointment, a doctor's appointment, an eye test, a taxi, a cab to
  the station, a rental car, a van, a flight, a train ticket, a bus ticket, a ferry, a cruise, a campsite, a cottage
  by the sea, a ski lesson, a driving lesson, a yoga class, a tennis court, a squash court, a meeting room,
  a babysitter, a dog sitter, a cleaner, a plumber, an electrician, a gardener, a photographer, a DJ, a clown for
  the party, a wedding venue, a church, a concert ticket, a cinema seat, a museum tour, a boat trip, a hot air
  balloon ride, a spa weekend, a parking space, a moving truck, a vet, a piano tuner, a personal trainer`);

const ABOUT_BOOKINGS: readonly string[] = [
  "{booking} has to be booked, see to it",
  "book {booking} for tonight",
  "I need {booking} for Friday at seven",
  "can you get me {booking} for tomorrow?",
  "cancel {booking} I booked for Sunday",
  "Kindly arrange {booking} for Mr and Mrs Weber.",
  "what would {booking} cost in your town",
  "{booking}, Saturday, under the name of Kowalski",
  "move my booking by an hour, it was {booking}",
  "my wife forgot to organise {booking}, so it's your job now",
  "is {booking} still to be had for Easter",
  "who do I ring for {booking} at short notice",
  "pls book {booking} asap n tell me when",
  "so I was thinking, {booking} would be nice, could you sort that out for next week",
  "i want reserve {booking}, two person, evening",
  "find me {booking} nearby that is open now",
];

const CHORES =
  valuesOf(`call mum, water the plants, feed the cat, walk the dog, pick up the kids, take my pills,
  pay the rent, take the bins out, buy milk, go to the gym, charge my phone, hand in my essay, renew my passport,
  cancel the gym membership, wish Anna a happy birthday, fetch the car from the garage, post the letter, turn the
  oven off, hang up the washing, go to bed, drink some water, stand up and stretch, ring the bank, check the tyres,
  book the holidays, wake my husband, send the tax form, iron my shirts, defrost the freezer, call back Mr Brown`);

const ABOUT_CHORES: readonly string[] = [
  "remind me to {chore}",
  "set a reminder: {chore} at five",
  "wake me up at six so I can {chore}",
  "put {chore} on my to-do list",
  "did I already {chore} today?",
  "tell my son to {chore}",
  "every Monday at nine I have to {chore}, please let me know each time",
  "don't let me forget to {chore} tonight!!",
  "why do I always have to {chore}",
  "can you {chore} for me, I'm in a meeting",
  "calendar: {chore}, 14th, all day",
  "i must to {chore} tomorrow, you say me please at morning",
  "timer 20 min then say {chore}",
  "It would be a great help if you could {chore} on my behalf.",
];

const CONTACTS =
  valuesOf(`my mum, my dad, my sister, my brother, my wife, my husband, my boss, my daughter, my son,
  my grandma, my uncle, my aunt, my cousin, my neighbour, my landlord, my teacher, my doctor, my lawyer, my coach,
  my colleague Jim, my ex, my best friend, my girlfriend, my boyfriend, the plumber, the babysitter, the school,
  the office, the police, the fire brigade, an ambulance, Aunt Mary, Peter, Sofia, Mr Lee, the mayor, the vet`);

const ABOUT_CONTACTS: readonly string[] = [
  "call {contact}",
  "text {contact} that I'm running late",
  "send an email to {contact} and say sorry",
  "is {contact} online?",
  "phone number {contact}",
  "why isn't {contact} talking to me any more",
  "where is {contact} right now, can you see that",
  "how do I tell {contact} that I'm moving out",
  "Please inform {contact} that the meeting is off.",
  "pass me on to {contact}",
  "block {contact} on my phone",
  "what do you think of {contact}",
  "ring {contact} n put on speaker phone lol",
  "invite {contact} to the party on Saturday",
  "record a voice message for {contact}: dinner's ready",
  "write {contact} a nice birthday message from me",
  "tell {contact} I love them",
  "i have fight with {contact}. what i do",
];

const DEVICES =
  valuesOf(`the lights in the kitchen, the heating, the TV, the radio, the oven, the dishwasher, the
  washing machine, the dryer, the fan, the air conditioning, the alarm, the garage door, the front door lock,
  the blinds, the sprinkler, the robot hoover, the coffee machine, the kettle, the bathroom light, the music, the
  computer, the printer, the wifi, my phone, the doorbell, the baby monitor, the fridge, the electric car, the boiler`);

const ABOUT_DEVICES: readonly string[] = [
  "turn off {device}",
  "switch {device} on",
  "did I leave {device} running?",
  "why does {device} make that noise",
  "{device} won't start, what's wrong",
  "how do I reset {device}?",
  "set {device} to come on at seven",
  "can you control {device} from here",
  "it's cold and dark, please do something about {device}",
  "how much power does {device} use in a year",
  "connect to {device}",
  "somebody broke {device} and no one admits it, who was it",
  "hey assistant {device} off",
  "Would you show me how to program {device}?",
  "send a technician for {device}, it smells of smoke",
];

const PROGRAMS =
  valuesOf(`python, javascript, typescript, java, rust, go, ruby, php, swift, kotlin, perl, haskell, SQL,
  bash, excel, html, css, matlab, assembler, scratch, lua, fortran, cobol, react, wordpress, a spreadsheet, git,
  docker, linux, regex`);

const ABOUT_PROGRAMS: readonly string[] = [
  "write a loop in {program} that prints the alphabet",
  "how do I sort a list with {program}?",
  "fix my {program}, it says undefined is not a function",
  "is {program} worth learning in these times",
  "{program} hello world",
  "convert this {program} into something faster",
  "what's the difference between {program} and basic",
  "My {program} crashes whenever I open two windows. Any thoughts?",
  "give me a snippet of {program} that reads a file",
  "build me a website with {program}",
  "tutorial for {program} pls im a noob",
  "review the following {program}: if x then y else z",
  "who came up with {program}",
  "i have job interview for {program}, ask me questions",
  "read json in {program}, just the code no chat",
];

const TEXTS =
  valuesOf(`a cover letter, a CV, a resignation letter, a love letter, a thank you note, an apology, a speech,
  a wedding toast, an obituary, a birthday card, a business plan, a blog post, a tweet, an advert for my car,
  a press release, a short story, a film script, a diary entry, an invitation, a shopping blog, a job advert, a rental
  contract, a letter to the council, a complaint to my landlord, an email to my boss, a reference for a student,
  a song for my band, a dating profile, a eulogy, a product slogan, a limerick, a school report, a quiz`);

const ABOUT_TEXTS: readonly string[] = [
  "write {text} for me",
  "I need help with {text}",
  "what's a strong first sentence for {text}?",
  "check {text} for mistakes, I'll paste it in a second",
  "Could you draft {text} by tomorrow morning?",
  "what belongs in {text}",
  "make {text} sound more friendly",
  "can u do {text} in like 2 min",
  "shorten {text} to one page",
  "is there a template for {text}",
  "my English is bad, please you write {text}",
  "how long should {text} be",
  "read me {text} aloud",
  "I've been staring at an empty page for an hour. {text}. go.",
];

export const ERRAND_SUBJECTS: readonly Subject[] = [
  { slot: "booking", values: BOOKINGS, patterns: ABOUT_BOOKINGS },
  { slot: "chore", values: CHORES, patterns: ABOUT_CHORES },
  { slot: "contact", values: CONTACTS, patterns: ABOUT_CONTACTS },
  { slot: "device", values: DEVICES, patterns: ABOUT_DEVICES },
  { slot: "program", values: PROGRAMS, patterns: ABOUT_PROGRAMS },
  { slot: "text", values: TEXTS, patterns: ABOUT_TEXTS },
];
