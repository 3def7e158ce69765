/** Single things that this shop does not sell, with their article, as people ask for one of them. */
import { valuesOf } from "./subject.ts";

export const SINGLE_THINGS: readonly string[] =
  valuesOf(`a pair of jeans, a pair of socks, a pair of gloves, a pair of
  mittens, a pair of sandals, a pair of boots, a pair of trainers, a pair of slippers, a pair of sunglasses, a pair of
  tights, a pair of shorts, a pair of leggings, a pair of pyjamas, a pair of trousers, a pair of high heels, a pair of
  earrings, a pair of headphones, a pair of skis, a pair of scissors, a pair of pliers, a pair of binoculars, a pair
  of swimming goggles, a pair of ice skates, a pair of roller skates, a pair of crutches, a pair of cufflinks,
  a t-shirt, a shirt, a blouse, a jumper, a sweater, a pullover, a hoodie, a cardigan, a waistcoat, a vest, a dress,
  a skirt, a suit, a tie, a bow tie, a belt, a bra, a bikini, a swimsuit, a bathrobe, a nightgown, a poncho, a cape,
  a tracksuit, a wedding dress, a kilt, a corset, a toga, a costume, an apron, a purse, a wallet, a handbag,
  a suitcase, a briefcase, a wash bag, a necklace, a bracelet, a brooch, a wedding ring, a wristwatch, a crown,
  a phone, a laptop, a tablet, a computer, a monitor, a keyboard, a mouse mat, a printer, a scanner, a webcam,
  a camera, a tripod, a drone, a television, a projector, a radio, a record player, a microphone, an amplifier,
  a games console, a joystick, a power bank, a phone case, a charger, a memory card, a USB stick, a router, a battery,
  a smart watch, an e-reader, a calculator, a hairdryer, a curling iron, an electric razor, an electric toothbrush,
  a kettle, a toaster, a microwave, a blender, a mixer, a coffee machine, a fridge, a freezer, a dishwasher,
  a washing machine, a tumble dryer, a vacuum cleaner, an iron, an ironing board, a heater, a fan, a frying pan,
  a saucepan, a wok, a casserole, a baking tray, a cake tin, a rolling pin, a whisk, a ladle, a colander, a grater,
  a bread knife, a corkscrew, a tin opener, a chopping board, a teapot, a jug, a carafe, a wine glass, a champagne
  glass, a plate, a bowl, a salad bowl, a saucer, a fork, a spoon, a teaspoon, a tray, a napkin, a tablecloth,
  a lunch box, a thermos, a mirror, a clock, an alarm clock, a candle, a candlestick, a vase, a picture frame,
  a poster, a painting, a carpet, a rug, a doormat, a curtain, a roller blind, a pillow, a cushion, a duvet, a towel,
  a bath mat, a shower curtain, a toilet brush, a laundry basket, a clothes rack, a waste bin, a broom,
  a mop, a bucket, a dustpan, a sponge, a feather duster, a bed, a bunk bed, a mattress, a sofa, a couch, a futon,
  a footstool, a bar stool, a bench, a bean bag, a hammock, a desk, a table, a coffee table, a dining table,
  a bedside table, a wardrobe, a chest of drawers, a bookcase, a sideboard, a shoe rack, a cot,
  a pram, a pushchair, a high stool, a hammer, a saw, a screwdriver, a drill, a spanner, a ladder, a toolbox,
  a tape measure, a spirit level, an axe, a crowbar, a paint brush, a tin of paint, a roll of tape, a tube of glue,
  a rope, a chain, a padlock, a doorbell, a letterbox, a smoke alarm, a fire extinguisher, a lawn mower, a rake,
  a spade, a shovel, a wheelbarrow, a watering can, a hosepipe, a flower pot, a rose bush, an apple tree,
  a barbecue, a tent, a sleeping bag, a camping stove, an air bed, a cool box, a compass, a pocket knife, a torch,
  a bicycle, a bike helmet, a bike pump, a scooter, a skateboard, a surfboard, a kayak, a canoe, a dinghy,
  a football, a basketball, a tennis racket, a golf club, a baseball bat, a dartboard,
  a yoga mat, a dumbbell, a treadmill, an exercise bike, a skipping rope, a punchbag, a trampoline, a swing, a slide,
  a sandpit, a paddling pool, a kite, a frisbee, a yo-yo, a teddy bear, a doll, a doll's house, a toy train,
  a toy car, a jigsaw, a board game, a chess set, a pack of cards, a rocking horse, a balloon, a puppet, a rattle,
  a guitar, a violin, a piano, a drum kit, a flute, a trumpet, a harmonica, a ukulele, a music stand, a metronome,
  a novel, a cookbook, a dictionary, an atlas, a comic, a magazine, a newspaper, a calendar, a greeting card,
  an envelope, a stamp, a pen, a pencil, a fountain pen, a felt tip, a crayon, a rubber, a ruler, a stapler,
  a hole punch, a folder, a whiteboard, a globe, an easel, a pencil case, a lipstick, a mascara, a nail file,
  a perfume, a deodorant, a shampoo, a bar of soap, a tube of toothpaste, a toothbrush, a comb, a hairbrush, a razor,
  a plaster, a bandage, a thermometer, a walking stick, a wheelchair, a hearing aid, a dog lead,
  a dog bed, a cat tree, a cat flap, a litter tray, a bird cage, a bird table, a fish tank, a goldfish, a puppy,
  a kitten, a hamster, a pony, a saddle, a car, a motorbike, a van, a caravan, a boat, a tractor, a trailer, a roof
  rack, a car tyre, a bike lock, a sat nav, a child's car booster, a loaf of bread, a pizza, a sandwich, a burger,
  a salad, a cake, a croissant, a bar of chocolate, a bag of crisps, a packet of biscuits, a pint of milk, a pound of
  butter, a dozen eggs, a banana, an apple, a lemon, a melon, a pineapple, an onion, a cucumber, a bunch of flowers,
  a cactus, a house plant, a Christmas tree, a gift voucher, a cinema ticket, a train ticket, a lottery ticket,
  a lighter, a house, a flat, a garage, a swimming pool, a hot tub, a sauna, a greenhouse, a fence, a hedge`);

/** What is searched for when a person asks for "a pair of jeans" or "an iron". */
export function nounOf(one: string): string {
  return one.replace(/^an? (?:pair of )?/, "");
}
