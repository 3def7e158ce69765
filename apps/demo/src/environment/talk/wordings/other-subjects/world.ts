/** Requests about places, people, knowledge, languages and animals, which are no business of a shop. */
import { type Subject, valuesOf } from "../subject.ts";

const PLACES =
  valuesOf(`Lisbon, Madrid, Rome, Paris, London, Berlin, Vienna, Prague, Warsaw, Oslo, Stockholm,
  Helsinki, Copenhagen, Dublin, Edinburgh, Glasgow, Manchester, Leeds, Bristol, Cardiff, Belfast, Amsterdam,
  Brussels, Zurich, Geneva, Munich, Hamburg, Milan, Venice, Naples, Athens, Istanbul, Cairo, Marrakesh, Nairobi,
  Cape Town, Lagos, Dubai, Mumbai, Delhi, Bangkok, Singapore, Hanoi, Tokyo, Kyoto, Seoul, Beijing, Shanghai,
  Sydney, Melbourne, Auckland, Perth, New York, Boston, Chicago, Denver, Seattle, Miami, Texas, California,
  Toronto, Vancouver, Montreal, Mexico City, Havana, Lima, Bogota, Santiago, Rio, Buenos Aires, Iceland, Norway,
  Sweden, Finland, Poland, Portugal, Spain, Italy, Greece, Malta, Cyprus, Croatia, Bulgaria, Hungary, Scotland,
  Wales, Cornwall, Bavaria, Brittany, Sicily, Crete, Morocco, Tunisia, Kenya, Japan, Thailand, Vietnam, Nepal,
  Bali, Peru, Chile, Cuba, Jamaica, Hawaii, Alaska, the Alps, the Lake District, Bordeaux, Lyon, Nice, Split,
  Krakow, Riga, Tallinn, Vilnius, Ghent, Basel, Salzburg, Turin, Porto, Seville, Valencia, Malaga`);

const WEATHER: readonly string[] = [
  "do I need sun cream in {place} the day after tomorrow?",
  "weather {place}",
  "whats the weather in {place} rn",
  "how warm does {place} get in May",
  "is it raining in {place} at the moment?",
  "Could you tell me the forecast for {place} this weekend?",
  "do I have to expect snow in {place} next week",
  "so we're off to {place} on Friday and I was wondering, hot or cold there?",
  "please, what temperature has it today in {place}",
  "10 day forecast for {place} pls",
  "any storm warnings for {place}?",
  "when does the sun set in {place} tonight",
  "I hate rain. Tell me {place} stays dry on Sunday",
];

const TRAVEL: readonly string[] = [
  "book me a flight to {place}",
  "I need two train tickets to {place} for Saturday morning",
  "cheap hotels in {place}?",
  "find me a nice restaurant in {place}",
  "how do I get from {place} to the sea by bus",
  "how far is {place} from here",
  "what should we see in {place} if we've only got one day",
  "plan a honeymoon in {place} for us",
  "do u need a visa for {place}",
  "is {place} safe for a woman travelling alone?",
  "directions to {place}, avoiding the motorway",
  "rent me a car in {place} from Monday to Thursday",
  "My flight to {place} has been cancelled. Whom do I call?",
  "which airline flies to {place} direct",
  "are dogs allowed on the ferry to {place}",
  "i want go {place} with small money. how",
  "somewhere to camp near {place}, any ideas",
  "when's the best time of year to visit {place}",
  "my cousin lives in {place} and says the nightlife is great, which clubs are good",
  "what time is it in {place}",
  "if it's noon here, is it already night in {place}?",
];

const FACTS: readonly string[] = [
  "how many people live in {place}?",
  "population of {place}",
  "who is in charge of {place} these days, politically I mean",
  "tell me about the history of {place}",
  "what language do they speak in {place}",
  "did anything happen in {place} today?",
  "latest news from {place} please",
  "is {place} a good place to raise kids",
  "what do people in {place} eat for breakfast?",
  "who won the election in {place}",
  "how expensive is rent in {place}",
  "are there jobs for plumbers in {place}",
  "Is it true that {place} was once under water?",
  "name three famous people who come from {place}",
  "what's the minimum wage in {place}",
  "who won when {place} played on Sunday?",
];

const PERSONS =
  valuesOf(`Napoleon, Mozart, Beethoven, Shakespeare, Cleopatra, Julius Caesar, Einstein, Newton,
  Marie Curie, Darwin, Galileo, Leonardo da Vinci, Michelangelo, Picasso, Van Gogh, Frida Kahlo, Charlie Chaplin,
  Marilyn Monroe, Elvis, the Beatles, Abba, Madonna, Queen Victoria, Henry the Eighth, Joan of Arc, Columbus,
  Marco Polo, Gandhi, Nelson Mandela, Martin Luther King, Abraham Lincoln, Winston Churchill, Karl Marx, Freud,
  Socrates, Plato, Aristotle, Buddha, Genghis Khan, Alexander the Great, Robin Hood, Sherlock Holmes, Dracula,
  Zeus, Neil Armstrong, Usain Bolt, Pele, Maradona, Jane Austen, Agatha Christie, Tolstoy, Goethe, Kafka, Bach,
  Chopin, Vivaldi, Louis Armstrong, Florence Nightingale, Rosa Parks, Anne Frank, Tutankhamun, Nero`);

const ABOUT_PERSONS: readonly string[] = [
  "who was {person}?",
  "when was {person} born",
  "how did {person} die",
  "what is {person} famous for",
  "was {person} married, and if so to whom",
  "I have to give a talk about {person} on Monday, help me",
  "tell me something nobody knows about {person}",
  "write 200 words on {person} for school",
  "is it a myth or did {person} really exist",
  "pretend that you're {person} and talk to me",
  "give me a quote by {person}",
  "who's greater, {person} or my dad",
  "quiz me about {person}",
  "Would you kindly summarise the life of {person}?",
  "where is {person} buried",
  "{person} biography short",
  "which film about {person} is any good",
  "my teacher say i must learn {person}. what is important?",
];

const TOPICS =
  valuesOf(`photosynthesis, gravity, black holes, volcanoes, the water cycle, the French revolution,
  the cold war, the Vikings, ancient Egypt, the Roman empire, the Middle Ages, the industrial revolution, democracy,
  inflation, supply and demand, evolution, DNA, the solar system, climate change, magnetism, electricity, atoms,
  acids, the periodic table, the human heart, the digestive system, earthquakes, glaciers, the ozone layer,
  nuclear power, quantum physics, relativity, algebra, fractions, trigonometry, the Pythagorean theorem,
  probability, Latin grammar, commas, the subjunctive, Greek mythology, Buddhism, the Reformation, slavery,
  the moon landing, the Berlin Wall, the Silk Road, the stock exchange, blockchain, artificial intelligence,
  the immune system, vaccines, rainbows, tides, dinosaurs, coral reefs, bees, fossils, plate tectonics,
  the Renaissance, opera, cubism, existentialism, logic, calculus, chess openings, the alphabet, the big bang`);

const ABOUT_TOPICS: readonly string[] = [
  "explain {topic} to me like I'm five",
  "how does {topic} work?",
  "I've got an exam on {topic} tomorrow and I know nothing!!",
  "do my homework about {topic}",
  "what's the point of {topic} anyway",
  "write an essay on {topic}, 500 words",
  "what is {topic}",
  "why does everybody talk about {topic}",
  "give me five facts on {topic}",
  "is there a good documentary on {topic}?",
  "make flashcards for {topic}",
  "my daughter asked about {topic} and I had no answer, what would you say",
  "Kindly prepare a short presentation concerning {topic}.",
  "who discovered {topic}?",
  "{topic}, in two sentences",
  "can you tutor me in {topic}",
  "i dont get {topic} at all lol help",
  "what did they teach about {topic} fifty years ago",
  "test me on {topic} with ten questions",
  "when did people first learn about {topic}",
  "teacher says my answer about {topic} is wrong. is she right?",
];

const LANGUAGES =
  valuesOf(`French, German, Spanish, Italian, Portuguese, Dutch, Swedish, Norwegian, Danish, Finnish,
  Polish, Czech, Russian, Ukrainian, Greek, Turkish, Arabic, Hebrew, Persian, Hindi, Urdu, Bengali, Tamil, Chinese,
  Japanese, Korean, Thai, Vietnamese, Swahili, Zulu, Latin, Welsh, Irish, Basque, Catalan, Hungarian, Romanian,
  Croatian, Serbian, Bulgarian, Estonian, Latvian, Icelandic, Esperanto, Yiddish, Klingon, sign language`);

const ABOUT_LANGUAGES: readonly string[] = [
  "how do you say thank you in {language}?",
  "translate I love you into {language}",
  "what does good night mean in {language}",
  "teach me some {language}",
  "is {language} hard to learn",
  "Please put the following letter into {language}: Dear neighbours, we are having a party",
  "swear words in {language} pls, for a friend",
  "count to ten in {language}",
  "what's happy birthday in {language}, it's for a card to my gran",
  "how long would it take me to speak {language} fluently",
  "correct my {language} homework",
  "where can I take a {language} course",
  "how many people speak {language} worldwide",
  "i need translator from {language} to english for my papers",
  "say something in {language}!",
  "my new neighbours only talk {language}, what do I say to welcome them",
];

const ANIMALS =
  valuesOf(`hedgehogs, cats, dogs, horses, cows, pigs, sheep, goats, chickens, ducks, geese, swans, owls,
  eagles, penguins, parrots, pigeons, sparrows, foxes, wolves, bears, polar bears, lions, tigers, elephants,
  giraffes, zebras, monkeys, gorillas, kangaroos, koalas, pandas, camels, deer, moose, rabbits, hamsters, mice, rats,
  squirrels, beavers, otters, badgers, bats, whales, dolphins, sharks, octopuses, jellyfish, crabs, salmon, frogs,
  toads, snakes, lizards, crocodiles, turtles, spiders, ants, wasps, butterflies, snails, worms, sloths, llamas`);

const ABOUT_ANIMALS: readonly string[] = [
  "what do {animals} eat?",
  "how old do {animals} get",
  "do {animals} sleep at night or during the day",
  "why are {animals} so cute",
  "can {animals} swim?",
  "are {animals} dangerous to people",
  "how fast can {animals} run, asking for my son",
  "show me a video of {animals}",
  "is it legal to keep {animals} as pets",
  "there are {animals} in my garden, how do I get rid of them",
  "who would win, ten {animals} or one man",
  "make a noise like {animals} do",
  "My little girl adores {animals}. Tell her a story about them, would you?",
  "i am scare of {animals}. is normal?",
  "where do {animals} go in winter",
  "{animals} facts go",
];

export const WORLD_SUBJECTS: readonly Subject[] = [
  { slot: "place", values: PLACES, patterns: [...WEATHER, ...TRAVEL, ...FACTS] },
  { slot: "person", values: PERSONS, patterns: ABOUT_PERSONS },
  { slot: "topic", values: TOPICS, patterns: ABOUT_TOPICS },
  { slot: "language", values: LANGUAGES, patterns: ABOUT_LANGUAGES },
  { slot: "animals", values: ANIMALS, patterns: ABOUT_ANIMALS },
];
