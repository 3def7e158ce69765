/** Requests about food, sport, music, games and everything else that people do for fun. */
import { type Subject, valuesOf } from "../subject.ts";

const DISHES =
  valuesOf(`pancakes, lasagne, pizza, risotto, paella, goulash, curry, sushi, ramen, tacos, burritos,
  chili, meatballs, omelettes, scrambled eggs, porridge, muesli, waffles, brownies, apple pie, cheesecake, tiramisu,
  banana bread, sourdough, focaccia, croissants, scones, gingerbread, marzipan, pesto, hummus, falafel, guacamole,
  mashed potatoes, roast chicken, fish and chips, beef stew, lentil soup, tomato soup, pumpkin soup, onion soup,
  coleslaw, potato salad, tabbouleh, ratatouille, moussaka, pierogi, borscht, pad thai, fried rice, dumplings,
  spring rolls, tofu, gnocchi, carbonara, macaroni cheese, Yorkshire pudding, trifle, mulled wine, mojitos,
  lemonade, iced tea, smoothies, marmalade, chutney, sauerkraut, kimchi, vegan burgers, crepes, fudge`);

const ABOUT_DISHES: readonly string[] = [
  "give me a recipe for {dish}",
  "{dish} from scratch, how does that work?",
  "order {dish} for dinner, extra spicy",
  "how many calories are in {dish}",
  "what goes well with {dish}",
  "where can I get the best {dish} in town",
  "my {dish} always turn out awful, what's the trick",
  "is {dish} gluten free",
  "can one freeze {dish}?",
  "six guests tonight and I've promised them {dish}. Ingredients please",
  "who invented {dish}",
  "deliver {dish} to my office at one",
  "can my dog eat {dish}",
  "{dish} or salad, what should I have for lunch",
  "I'm hungry and thinking of {dish}, what now",
  "how long does {dish} keep in the fridge",
  "please to teach cooking of {dish}, i never do before",
  "would you say {dish} is healthy?",
  "what wine would you serve with {dish}",
  "is it weird to eat {dish} for breakfast lol",
];

const SPORTS =
  valuesOf(`football, rugby, cricket, tennis, golf, basketball, volleyball, handball, hockey, ice hockey,
  baseball, swimming, rowing, sailing, surfing, skiing, snowboarding, curling, boxing, wrestling, judo, karate,
  fencing, archery, cycling, cross-country running, marathon running, triathlon, gymnastics, weightlifting,
  climbing, horse riding, polo, squash, badminton, table tennis, darts, snooker, bowling, formula one, rallying,
  figure skating, speed skating, diving, water polo, lacrosse, softball, skateboarding, parkour, sumo, biathlon`);

const ABOUT_SPORTS: readonly string[] = [
  "who's the world champion in {sport}?",
  "explain the rules of {sport}",
  "when is the next big {sport} event on tv",
  "how did our national team do at {sport} last night",
  "is there a {sport} club near me",
  "who is the best ever at {sport}",
  "I'd like to take up {sport} at sixty, is that mad?",
  "book two seats for the {sport} final",
  "what does a {sport} coach earn",
  "did you watch the {sport} yesterday",
  "yo {sport} results",
  "which country invented {sport}",
  "how can I get better at {sport}, I keep losing",
  "predict who wins the {sport} this year",
  "has {sport} ever been in the Olympics",
  "my boy is crazy about {sport}, at what age may he start",
  "put ten euros on the favourite in the {sport} tonight",
];

const INSTRUMENTS =
  valuesOf(`guitar, piano, violin, viola, cello, double bass, harp, flute, clarinet, oboe, bassoon,
  saxophone, trumpet, trombone, tuba, French horn, recorder, drums, xylophone, accordion, harmonica, banjo,
  mandolin, ukulele, bagpipes, organ, keyboard, synthesizer, bass guitar, triangle, sitar, didgeridoo`);

const ABOUT_INSTRUMENTS: readonly string[] = [
  "teach me to play the {instrument}",
  "find a {instrument} teacher for my daughter",
  "how do you tune a {instrument}?",
  "play me something on the {instrument}",
  "is the {instrument} harder than singing",
  "at what age should a child begin with the {instrument}",
  "the man upstairs practises the {instrument} at night, can I call the police",
  "who's the most famous {instrument} player",
  "easy songs for {instrument}",
  "how often must I practise {instrument} to get good",
  "what chords do I need on the {instrument} for a love song",
];

const FILMS =
  valuesOf(`Titanic, Star Wars, Casablanca, Jaws, Alien, Psycho, The Godfather, Frozen, Shrek, Bambi,
  The Lion King, Toy Story, Avatar, The Matrix, Inception, Rocky, Gladiator, Harry Potter, The Hobbit, Hamlet,
  Macbeth, Romeo and Juliet, Faust, Moby Dick, Don Quixote, War and Peace, Pride and Prejudice, Jane Eyre, Dracula,
  Frankenstein, Treasure Island, Robinson Crusoe, Oliver Twist, Alice in Wonderland, Peter Pan, Pinocchio, Heidi,
  The Jungle Book, Cinderella, Snow White, Winnie the Pooh, Carmen, The Magic Flute, Swan Lake, Cats, Dune`);

const ABOUT_FILMS: readonly string[] = [
  "how does {film} end?",
  "what's {film} about",
  "who wrote {film}",
  "where can I stream {film} for free",
  "is {film} on at the cinema tonight",
  "is {film} too scary for a six year old",
  "my book report on {film} is due, write it for me",
  "sing me the song from {film}",
  "who's the main character in {film}",
  "did you like {film}?",
  "Kindly summarise {film} in three sentences.",
  "two tickets for {film} at eight please, middle row",
  "{film}: good or overrated",
  "recommend something like {film} to watch with my husband",
  "how long is {film}, I have to be up early",
  "in what year came {film} out",
];

const GAMES =
  valuesOf(`chess, checkers, hangman, tic-tac-toe, twenty questions, poker, blackjack, bingo, battleships,
  truth or dare, I spy, charades, solitaire, sudoku, scrabble, monopoly, dominoes, backgammon, rock paper scissors,
  a word game, a guessing game, a quiz, a memory game, trivia, a text adventure, bridge, rummy, Minecraft, Tetris`);

const ABOUT_GAMES: readonly string[] = [
  "let's play {game}",
  "I'm bored, can we do {game}?",
  "fancy a round of {game} while I wait",
  "what are the rules of {game}",
  "how do I win at {game} every time",
  "{game}? u start",
  "my kids want {game}. you be the master, they play",
  "I challenge you to {game}!",
  "is {game} a game of luck or skill",
  "We are four persons and would like to play {game}. Could you keep the points?",
  "cheat codes for {game}",
  "do u know {game}, play with me please",
];

const THEMES =
  valuesOf(`autumn, spring, the sea, my cat, my dog, love, the moon, a dragon, a pirate, winter, snow, rain,
  my grandmother, my best friend, our wedding, the mountains, homesickness, growing old, a lonely robot, a princess,
  a brave knight, the stars, a lost teddy, summer nights, coffee, Mondays, the colour blue, time, friendship, hope,
  a broken heart, two penguins, my ex, my boss, a haunted house, a talking tree, a train journey, the desert, peace,
  socks, cheese, a very small horse, football, the city at night, my hometown, sunrise`);

const ABOUT_THEMES: readonly string[] = [
  "a few verses on {theme} would be lovely, can you rhyme?",
  "once upon a time... come on, tell me one with {theme}",
  "a song about {theme} please",
  "make up a bedtime story with {theme} in it, my little one can't sleep",
  "joke about {theme}?",
  "I need four rhyming lines on {theme} for a card",
  "draw {theme} for me",
  "compose a haiku, theme: {theme}",
  "what rhymes with {theme}",
  "rap about {theme} lets goooo",
  "Could you be so kind as to write a short speech about {theme}?",
  "do you know a saying about {theme}",
  "paint me a picture of {theme}",
  "limerick. {theme}. now",
  "say something wise about {theme}",
  "give me a title for my novel, it's about {theme}",
  "i make blog. you write text for me, subject {theme}",
];

const SKILLS =
  valuesOf(`juggle, whistle, swim, ski, dance the tango, waltz, ice skate, knit, crochet, sew, draw faces,
  paint with watercolours, sing in tune, tie a tie, fold a paper plane, play cards, do a handstand, ride a bike,
  drive a car, change a tyre, bake bread, carve wood, meditate, do yoga, take good photos, touch type, speed read,
  remember names, speak in public, flirt, parallel park, cut hair, do magic tricks, prune roses, grow tomatoes,
  brew beer, sharpen a knife, build a snowman, light a fire, read a map, sail, fish, do a backflip, beatbox`);

const ABOUT_SKILLS: readonly string[] = [
  "teach me how to {skill}",
  "how do you {skill}?",
  "I'm forty and can't {skill}, is it too late",
  "can you {skill}",
  "is there a class where I can learn to {skill}",
  "what's the quickest way to learn to {skill}",
  "my brother says nobody can {skill} in a week, who's right",
  "step by step please: how to {skill}",
  "why do I find it so hard to {skill}",
  "send me a video that shows me how to {skill}",
  "wanna {skill} but idk how, tips?",
  "At which age do children learn to {skill}?",
];

const FAVORITES =
  valuesOf(`colour, food, film, book, song, animal, city, season, number, football team, singer, holiday,
  ice cream flavour, day of the week, joke, word, smell, planet, drink, poem, painter, sport, board game`);

const ABOUT_FAVORITES: readonly string[] = [
  "what's your favourite {favorite}?",
  "guess my favourite {favorite}",
  "which {favorite} do you like most and why",
  "do u have a favorite {favorite} lol",
  "mine is obvious, but tell me yours: {favorite}",
  "what does my favourite {favorite} say about my character",
  "name the most popular {favorite} in the world",
  "If you had to choose one {favorite} for the rest of your life, which would it be?",
];

export const LEISURE_SUBJECTS: readonly Subject[] = [
  { slot: "dish", values: DISHES, patterns: ABOUT_DISHES },
  { slot: "sport", values: SPORTS, patterns: ABOUT_SPORTS },
  { slot: "instrument", values: INSTRUMENTS, patterns: ABOUT_INSTRUMENTS },
  { slot: "film", values: FILMS, patterns: ABOUT_FILMS },
  { slot: "game", values: GAMES, patterns: ABOUT_GAMES },
  { slot: "theme", values: THEMES, patterns: ABOUT_THEMES },
  { slot: "skill", values: SKILLS, patterns: ABOUT_SKILLS },
  { slot: "favorite", values: FAVORITES, patterns: ABOUT_FAVORITES },
];
