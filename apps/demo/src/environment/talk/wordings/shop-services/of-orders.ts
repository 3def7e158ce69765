/** Services that other shops have, asked for with a day, an address, a means of payment and the like. */
import { type Subject, valuesOf } from "../subject.ts";

const PAYMENTS =
  valuesOf(`paypal, visa, mastercard, american express, apple pay, google pay, cash, a cheque,
  bank transfer, direct debit, klarna, bitcoin, a gift card, a voucher, my debit card, invoice, instalments,
  a credit card, amazon pay, my company account, cash on delivery, a money order, my dad's card, store credit,
  monthly payments, crypto, a prepaid card, my phone bill, four instalments, paysafecard, revolut, alipay`);

const BY_PAYMENT: readonly string[] = [
  "can I pay with {payment}?",
  "paying by {payment}, where do i click",
  "{payment} ok for paying?",
  "charge everything to {payment} now",
  "is {payment} accepted here",
  "is it safe to use {payment} on this site",
  "why was {payment} refused at the checkout",
  "Would it be possible to settle the total by means of {payment}?",
  "checkout with {payment} please, I'm done shopping",
  "does {payment} cost extra",
  "I'd rather use {payment} than type in all these numbers",
  "split the sum: half {payment}, half later",
  "pay. {payment}. go",
  "change how I pay to {payment}",
  "only {payment} i have, is okay for pay my basket?",
];

const COUNTRIES =
  valuesOf(`Norway, Sweden, Finland, Denmark, Iceland, Ireland, Scotland, England, France, Spain,
  Portugal, Italy, Greece, Turkey, Germany, Austria, Switzerland, Poland, Hungary, Romania, Bulgaria, Croatia,
  Ukraine, Estonia, Malta, Cyprus, Canada, the US, Mexico, Brazil, Argentina, Chile, Peru, Australia, New Zealand,
  Japan, Korea, China, India, Thailand, Singapore, Egypt, Morocco, Kenya, South Africa, Israel, Dubai, the Azores,
  the Canary Islands, a small island, my village, the Outer Hebrides, overseas, Luxembourg, Belgium, Holland`);

const BY_COUNTRY: readonly string[] = [
  "is it any trouble to have it sent to {country}?",
  "how much is delivery to {country}",
  "do you send parcels to {country} and how long do they take",
  "shipping {country} price",
  "are there customs duties when it goes to {country}",
  "we live in {country}. Can we order from you at all?",
  "is there one of your shops in {country}",
  "my brother in {country} never got the present I ordered for him",
  "returns from {country}, who pays for those",
  "do i get vat back if i take it to {country}",
  "post it to my aunt in {country}, she'll be so happy",
  "Which carrier do you employ for {country}?",
  "fastest way to get my stuff to {country}",
];

const DAYS =
  valuesOf(`Friday, Saturday, Monday, tomorrow, tonight, Christmas, Easter, next week, the weekend, noon,
  the 24th, the 1st of May, Valentine's Day, Mother's Day, my birthday, Thursday morning, the end of the month,
  six o'clock, Tuesday at the latest, New Year's Eve, next Wednesday, Sunday, the holidays, half past nine`);

const BY_DAY: readonly string[] = [
  "will my order be here by {day}?",
  "I need everything delivered by {day}",
  "can you promise delivery before {day}",
  "are you open on {day}",
  "deliver my basket by {day} or I'll go elsewhere",
  "hold the things in my cart until {day}",
  "is the courier coming by {day}, I have to be in",
  "it should have arrived before {day}, now what",
  "opening hours for {day} pls",
  "Could the parcel be handed over not later than {day}?",
  "if I order now, do I have it by {day}",
  "have someone from the shop phone me before {day}",
  "is there a sale on {day}",
];

const ADDRESSES =
  valuesOf(`Fleet Lane 19, Willow Way, 5 Church Lane, my office, my mum's house, my neighbour's,
  Station Road 88, the flat upstairs, 14 Mill Hill, Kings Avenue 3, my work address, the hotel I'm staying at,
  a parcel locker, the post office in my street, Park View 7, the school, Rose Cottage, High Street 40, my new flat,
  Unit 6 at the harbour, my gran's place, the back door, the reception desk, 221 Oak Drive, Lindenweg 9`);

const BY_ADDRESS: readonly string[] = [
  "buy what's in the basket, it all goes to {address}",
  "the old address is wrong, it has to be {address}",
  "send all this to {address}",
  "my parcel went to {address} by mistake",
  "can the driver leave it at {address}?",
  "save {address} as my home",
  "I've moved, it's {address} from now on",
  "place the order, ship to {address}, thanks",
  "Kindly have the goods delivered to {address}.",
  "is it extra when it goes to {address}",
  "bill to me, but deliver to {address}",
  "why does it say {address} on my order, I never lived there",
  "the things in basket please bring to {address}",
];

const GROUPS =
  valuesOf(`trainees, teachers, pensioners, nurses, firefighters, soldiers, families, children,
  big orders, first-time customers, regulars, club members, large families, the unemployed, doctors, schools,
  charities, birthdays, employees, disabled people, apprentices, police officers, weddings, twins, newlyweds,
  scouts, tourists, loyal customers, people over 65, new mothers, musicians, offices`);

const BY_GROUP: readonly string[] = [
  "do {group} get money off?",
  "is it cheaper for {group}",
  "any codes for {group} that I can use",
  "10% off for {group}, my friend says. Where do I enter that",
  "Are there special conditions for {group}?",
  "i heard {group} pay less here lol is that true",
  "what do I have to show to get the {group} price",
  "why is there nothing off for {group}, that's mean",
  "loyalty card for {group}",
  "gift vouchers for {group}, do you have some",
];

const CODES =
  valuesOf(`SUMMER10, WELCOME, HELLO5, XMAS20, BLACKFRIDAY, SPRING15, SAVE25, FRIENDS, VIP, STUDENT10,
  FIRST, FREESHIP, LUCKY7, THANKYOU, SORRY10, NEWHERE, BDAY, LOYAL50, TAKE5, AUTUMN, GIFT30, PROMO, TEAM, FLASH`);

const BY_CODE: readonly string[] = [
  "apply the voucher {code}",
  "my code {code} doesn't work",
  "use {code} on my basket please",
  "is {code} still valid?",
  "take something off with {code}",
  "where do i type {code}",
  "I got an email that says {code}, what do I get for it",
  "redeem {code}",
  "Kindly deduct the amount that goes with coupon {code}.",
  "can one combine {code} with another coupon",
];

const ORDERS =
  valuesOf(`86127, 10482, A-7719, 553-201, 90001, WX2240, 33109, 4471, B12-88, 700365, 21875, 66412, N-0093,
  1204, 85530, 31-7744, 912, ZK41, 50067, 27384, 6120, 44-19, C3340, 77128`);

const BY_ORDER: readonly string[] = [
  "can you see where {order} has got to?",
  "where is order {order}?",
  "cancel order {order} immediately",
  "order number {order}, any news?",
  "I'd like a copy of the invoice for {order}",
  "{order} hasn't been delivered, it's been three weeks",
  "add a note to order {order}: ring twice",
  "status {order}",
  "Regarding {order}: two items were missing from the parcel.",
  "can I still change the address of {order}",
  "why was {order} sent in two boxes",
  "i want money back from {order}",
  "when did I place {order}, and what was in it",
  "return label for {order} pls",
];

const SIZES =
  valuesOf(`XS, S, M, L, XL, XXL, 27, 36, 38, 40, 42, 44, 46, 104, 116, 128, age six, toddler size,
  one size fits all, EU 39, UK 8, US 10, petite, tall, plus size, medium, a child of ten, newborn, junior`);

const BY_SIZE: readonly string[] = [
  "do you have it in {size}?",
  "I usually wear {size}, what should I order here",
  "size chart? am I a {size}",
  "is {size} the right size for a boy of nine",
  "anything for children in {size}",
  "the {size} I ordered is too tight, swap it",
  "how wide are the shoulders in {size}",
  "will you ever make things in {size}",
  "trousers {size} long leg",
  "Is {size} in your shop the same as {size} elsewhere?",
];

const BRANCHES =
  valuesOf(`Manchester, Leeds, London, Dublin, Oxford, York, Brighton, Bath, Berlin, Cologne, Hamburg,
  Paris, Lille, Madrid, Rome, Oslo, Utrecht, Antwerp, Boston, Chicago, Austin, Toronto, Perth, Hobart, the city
  centre, the shopping mall, the airport, the main station, Soho, my area, the north, Swansea, Cork, Dundee`);

const BY_BRANCH: readonly string[] = [
  "is there an actual shop of yours in {branch}?",
  "i want to come to your store in {branch} and look around",
  "opening hours of the {branch} branch",
  "phone number of your place in {branch} please",
  "is there parking at the shop in {branch}",
  "I was in your {branch} store yesterday and left my gloves there",
  "are you hiring in {branch}",
  "can I bring things back to {branch}",
  "who's the manager in {branch}, the staff were rude to me",
  "click and collect {branch}?",
  "when does the new shop in {branch} open",
  "which bus goes to your shop in {branch}",
];

const ACCOUNTS =
  valuesOf(`my old account, my password, my email address, my phone number, my username, my profile, my
  newsletter, my membership, my bonus points, my saved cards, my birthday in the profile, my last name, my
  notification settings, my wish list, my order history, my subscription, my customer number, my login, my address
  book, my personal data, my cookies, my loyalty card, my bank details, my profile picture`);

const BY_ACCOUNT: readonly string[] = [
  "how do I change {account}?",
  "delete {account}",
  "I don't want {account} with you any longer, get rid of it",
  "I can't find {account}",
  "what's wrong with {account}, it won't let me in",
  "somebody got hold of {account}, help!!",
  "show me {account}",
  "Kindly update {account} according to my letter.",
  "is {account} safe with you",
  "transfer {account} to my wife",
  "forgot {account} lol",
  "who can see {account}",
  "i want new {account}, old one no work",
  "what do you do with {account} once I'm gone",
];

const EXTRAS =
  valuesOf(`gift wrapping, a bow, a greeting card, a gift receipt, a gift card, free shipping, express
  delivery, an engraving, a personal message, a size chart, a paper catalogue, a warranty card, a customs form,
  a receipt with my company's name, a student card, a bonus card, assembly at home, disposal of the old one, a sample,
  a tracking number, a wedding list, a loyalty card, personal advice on the phone, a fitting room, a repair service,
  neutral packaging, a monogram, insurance for the parcel, a refund, a price guarantee, a seat to rest in`);

const BY_EXTRA: readonly string[] = [
  "do you offer {extra}?",
  "with {extra} please",
  "how much would {extra} cost",
  "I'd like {extra} for everything in my basket",
  "can I get {extra}",
  "what do I have to do to receive {extra}",
  "other shops give me {extra}, why don't you",
  "last time I got {extra} for nothing",
  "{extra} included?",
  "Might one ask for {extra}?",
  "gimme {extra} n im happy",
  "it's a present, so I'd need {extra} too",
  "where on the page do I ask for {extra}",
  "hey so do you do {extra} or is that only in the store",
];

const JOBS =
  valuesOf(`salesperson, driver, cashier, warehouse worker, designer, web developer, accountant, intern, cleaner,
  manager, model, translator, security guard, tailor, photographer, copywriter, apprentice, seamstress, data analyst,
  call centre agent, Santa at Christmas, student worker, shop assistant, buyer, lawyer`);

const BY_JOB: readonly string[] = [
  "are you looking for a {job}?",
  "I'd like to work for you as a {job}",
  "how much does a {job} earn at your company",
  "who do I send my application to, I'm a trained {job}",
  "Is there a vacancy for a {job}?",
  "need a {job}? im free on weekends",
  "let me speak to your {job}",
  "my son could be your new {job}, he's very keen",
];

export const ORDER_SERVICES: readonly Subject[] = [
  { slot: "payment", values: PAYMENTS, patterns: BY_PAYMENT },
  { slot: "country", values: COUNTRIES, patterns: BY_COUNTRY },
  { slot: "day", values: DAYS, patterns: BY_DAY },
  { slot: "address", values: ADDRESSES, patterns: BY_ADDRESS },
  { slot: "group", values: GROUPS, patterns: BY_GROUP },
  { slot: "code", values: CODES, patterns: BY_CODE },
  { slot: "order", values: ORDERS, patterns: BY_ORDER },
  { slot: "size", values: SIZES, patterns: BY_SIZE },
  { slot: "branch", values: BRANCHES, patterns: BY_BRANCH },
  { slot: "account", values: ACCOUNTS, patterns: BY_ACCOUNT },
  { slot: "extra", values: EXTRAS, patterns: BY_EXTRA },
  { slot: "job", values: JOBS, patterns: BY_JOB },
];
