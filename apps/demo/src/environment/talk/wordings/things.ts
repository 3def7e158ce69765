/** What people ask for and this shop does not sell: plurals and mass nouns, without an article. */
const BY_AREA: { readonly [area: string]: string } = {
  food: `cheese, bread, coffee beans, chocolate, pasta, olive oil, beer, red wine, orange juice, bananas,
    tomatoes, ice cream, cornflakes, honey, frozen peas, green tea, potatoes, eggs, butter, milk, oat
    milk, rice, noodles, pizza, burgers, sandwiches, cakes, biscuits, crisps, popcorn, nuts, raisins,
    strawberries, apples, lemons, grapes, carrots, onions, garlic, mushrooms, spinach, lettuce, salmon,
    chicken, sausages, ham, yoghurt, jam, peanut butter, sugar, flour, salt, pepper, vinegar, ketchup,
    mustard, soy sauce, lemonade, cola, mineral water, whisky, gin, champagne, cider, espresso, sweets,
    chewing gum, baby food`,
  clothes: `running shoes, jeans, socks, t-shirts, swimming trunks, dresses, sandals, belts, ties, pyjamas,
    rubber boots, sunglasses, underwear, leggings, high heels, trainers, hiking boots, slippers,
    flip-flops, gloves, mittens, trousers, shorts, skirts, blouses, shirts, jumpers, hoodies, cardigans,
    suits, bikinis, tights, bras, dressing gowns, raincapes, earmuffs, wallets, handbags, suitcases, bow
    ties, cufflinks, shoelaces, wedding dresses`,
  electronics: `laptops, phones, headphones, televisions, tablets, cameras, printers, phone chargers, batteries,
    game consoles, USB sticks, smart watches, hairdryers, drones, keyboards, monitors, computer mice,
    webcams, microphones, routers, memory cards, power banks, e-readers, projectors, radios, record
    players, electric razors, electric toothbrushes, graphics cards, robot vacuums, doorbells,
    walkie-talkies, calculators, 3D printers, SIM cards, phone cases, extension cords, turntables,
    remote controls`,
  household: `fridges, washing machines, vacuum cleaners, microwaves, toasters, kettles, frying pans, cutlery,
    dinner plates, knives, curtains, carpets, mirrors, candles, alarm clocks, washing powder, toilet
    paper, sponges, bin bags, towels, ironing boards, picture frames, ovens, dishwashers, freezers,
    coffee machines, blenders, mixers, saucepans, woks, baking trays, chopping boards, wine glasses,
    teapots, spoons, forks, bowls, napkins, tablecloths, pillows, duvets, bed sheets, doormats, vases,
    wall clocks, brooms, mops, buckets, dustpans, rubbish bins, clothes pegs, shower gel, dish soap,
    bleach, air fresheners, matches, smoke alarms, door handles, padlocks, fans, heaters, humidifiers`,
  furniture: `sofas, dining tables, beds, mattresses, wardrobes, bookshelves, bunk beds, sideboards, stools,
    benches, coffee tables, shelves, cupboards, chests of drawers, cots, hammocks, bean bags, bar
    stools, shoe racks, rocking horses, deck furniture`,
  tools: `hammers, screwdrivers, power drills, nails, ladders, paint, lawn mowers, flower pots, tomato seeds,
    garden hoses, barbecues, fertiliser, wheelbarrows, chainsaws, saws, pliers, spanners, screws, drill
    bits, sandpaper, glue, duct tape, tape measures, spirit levels, axes, shovels, rakes, watering cans,
    secateurs, hedge trimmers, greenhouses, rose bushes, tulip bulbs, compost, gravel, bricks, tiles,
    wallpaper, paint brushes, bird feeders, bird houses, sandpits, trampolines, paddling pools`,
  sport: `footballs, tennis rackets, yoga mats, dumbbells, skis, bicycles, bike helmets, surfboards, tents,
    board games, jigsaw puzzles, dolls, teddy bears, toy trains, playing cards, basketballs,
    volleyballs, golf clubs, golf balls, baseball bats, hockey sticks, ice skates, roller skates,
    skateboards, scooters, snowboards, sledges, fishing rods, boxing gloves, swimming goggles,
    treadmills, exercise bikes, rowing machines, darts, chess sets, kites, frisbees, building blocks,
    toy cars, doll houses, puppets, video games, water pistols, balloons, face paint, juggling balls,
    marbles, sleeping bags, camping stoves, compasses, binoculars, climbing ropes`,
  body: `shampoo, toothbrushes, perfume, lipstick, sun cream, plasters, aspirin, vitamins, nappies, soap,
    razor blades, conditioner, hairbrushes, combs, hair dye, hair gel, nail polish, mascara, eyeliner,
    face cream, body lotion, deodorant, toothpaste, dental floss, mouthwash, tissues, tampons, condoms,
    cough syrup, painkillers, sleeping pills, bandages, thermometers, crutches, wheelchairs, hearing
    aids, contact lenses, reading glasses, scales, massage oil, protein powder`,
  animals: `dog leads, dog beds, cat food, cat trees, hamsters, hamster cages, goldfish, fish tanks, parrots,
    bird seed, puppies, kittens, horses, saddles, cars, motorbikes, vans, caravans, boats, kayaks, bike
    locks, bike pumps, bike tyres, windscreen wipers, snow chains, petrol, sat navs, electric scooters,
    tractors`,
  other: `dog food, cat litter, aquariums, car tyres, engine oil, engagement rings, necklaces, novels,
    cookbooks, ballpoint pens, guitars, pianos, drums, concert tickets, stamps, wrapping paper,
    postcards, violins, cigarettes, fireworks, rings, earrings, bracelets, gold chains, diamonds, wrist
    watches, newspapers, magazines, comics, dictionaries, children's books, textbooks, maps, calendars,
    greeting cards, envelopes, printer paper, printer ink, pencils, felt tips, crayons, erasers, rulers,
    scissors, staplers, folders, whiteboards, globes, violas, flutes, trumpets, ukuleles, harmonicas,
    sheet music, vinyl records, DVDs, cinema tickets, train tickets, plane tickets, gift vouchers,
    lottery tickets, flowers, roses, house plants, cactuses, Christmas trees, Easter eggs, tobacco,
    lighters, sculptures, oil paintings, posters, mobile homes, houses, flats`,
};

export const THINGS: readonly string[] = Object.values(BY_AREA).flatMap((words) =>
  words.split(/,\s+/),
);
