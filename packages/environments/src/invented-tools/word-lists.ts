/** Words that names, titles and notes are made of. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const FIRST_NAMES: readonly string[] = words(`
  Ana Ben Carla David Elena Farid Greta Hugo Ines Jonas Karin Liam Mira Nico Olga Pavel Quentin Rosa Samir Tina
  Uma Viktor Wanda Xenia Yusuf Zoe Aisha Bruno Chen Dalia Emil Fatima Goran Hana Ivan Julia Kofi Lena Mateo Nadia
  Omar Petra Rafael Sofia Tomas Ulrike Vera Walter Yara Zeno Alma Boris Celia Dario Edith Felix Gloria Henrik Irma
  Jarek Kyra Leo Marta Noah Oskar Priya Ravi Silke Theo Ursula Vito Willa Amara Bilal Clara Dev Esra Finn Gita
  Hassan Ida Joel Kaya Luca Maya Nils Otto Paula Remy Selma Tariq Vida Wim Adela Bodo Cora Dina Ezra Freya Gus
  Hedda Igor Jana Kurt Lola Milo Nora Odin Pia Rune Stella Tove Uwe Vince Yuri Zara Anton Bea Cyril Dora Enzo
  Abel Agnes Akira Alina Amir Anya Arthur Astrid Axel Bella Bjorn Callum Carmen Cedric Chiara Daria Diego Dominik Eva
  Elif Erik Fabian Frida Gabriel Georgia Hanna Harriet Helen Hiro Imran Isabel Jakob Jasmin Karim Kenji Klara Laila
  Lars Leila Lucy Magnus Malik Marco Mehmet Naomi Natalia Noor Olivia Oscar Patrick Paul Rania Rebecca Robin Ruth
  Sanjay Sara Simon Sonia Sven Tamara Thomas Tobias Valeria Victor Yasmin Zainab
`);

export const LAST_NAMES: readonly string[] = words(`
  Kovac Lindgren Moreau Ortega Petrov Quist Rossi Sato Tanaka Unger Vogel Weber Yilmaz Zimmer Adeyemi Baker Costa
  Dubois Eriksen Fischer Garcia Haddad Ito Jansen Khan Lopez Meyer Novak Okafor Park Reyes Schmidt Tran Varga
  Walsh Young Abebe Bauer Cohen Diaz Evans Fontana Green Hill Ivanov Jones Keller Lund Mori Nair Olsen Popov Rahman
  Silva Torres Vance Wagner Ziegler Amari Blom Cruz Dahl Engel Ferro Gomez Hoffman Ibsen Jung Kline Laurent Marsh
  Nolan Ohara Prado Ruiz Stone Thorn Voss Wolfe Archer Boyd Carver Drake Ellis Frost Grant Hayes Irving Jarvis
  Allen Almeida Andersson Bennett Berger Bianchi Brandt Castillo Chang Clarke Conti Davies Demir Duarte Farkas Fraser
  Fuchs Gallo Hansen Herrera Horvat Hughes Jensen Kamara Kim Kowalski Lang Larsen Lehmann Mahmoud Marino Mbeki Mendes
  Morgan Murphy Navarro Nguyen Nowak Palmer Patel Peters Romano Russo Santos Sharma Sorensen Takahashi Turner Vargas
  Walker Wong Zhang
`);

export const ADJECTIVES: readonly string[] = words(`
  blue quiet golden early northern small bright weekly silver rapid green hidden open winter summer spring autumn
  annual red gentle old new deep wild simple warm cold lucky secret public final first second urgent fresh clean
  dark soft royal western eastern southern hollow broken happy sleepy modern ancient plain double crystal paper
  wooden velvet copper stormy sunny misty frozen electric lazy brave clever honest polite tiny giant curious
  long short heavy light sharp round flat narrow wide empty full sweet bitter salty sour loud calm dry wet hot cool thick
  thin smooth rough shiny dusty foggy rainy snowy windy busy free cheap costly fancy plain rare common strong weak
  safe risky local global human natural central outer inner upper lower daily monthly special extra main spare
`);

export const THINGS: readonly string[] = words(`
  harvest river lantern budget garden launch review bridge plan workshop marathon window forest report picnic
  sunrise meadow engine castle market harbor island kitchen mountain studio library orchard railway tunnel canyon
  festival wedding birthday dinner breakfast training interview contract survey design prototype migration release
  roadmap strategy concert rehearsal opening closing checkup delivery cleanup inventory audit payroll newsletter
  campaign handbook manual sketch poster puzzle compass anchor feather pebble thunder rainbow comet planet galaxy
  ladder blanket bucket basket candle mirror curtain pillow kettle teapot spoon plate jacket sweater glove helmet saddle
  rope hammer drill wrench nail brick roof fence gate path street tower church temple school hospital airport
  station ferry cable wire engine wheel tire brake mast sail anchor shell coral reef glacier volcano desert valley
  lake pond stream waterfall cave cliff hill farm mill barn tractor wheat corn apple pear cherry lemon carrot onion
  soup salad cake bread cheese honey tea coffee juice violin flute drum trumpet guitar choir ballet novel poem letter
  diary ticket coupon coin wallet ledger loan tax rent permit verdict jury charter treaty census museum statue fossil
  crystal microscope telescope satellite rocket robot laser battery magnet server database script
`);

export const NOTE_VERBS: readonly string[] = words(`
  bring check call clean fix order pack paint print replace return send sort test water wash move open close count
  cover measure mount label deliver collect inspect repair refill update copy store
  lift push pull carry cut dry empty fill heat cool hide hang lock polish sweep wipe wrap unpack tighten replace
  photograph rent borrow sign scan file discuss approve water feed trim plant stir bake peel
`);

export const COLORS: readonly string[] = words(`
  red blue green yellow orange purple pink brown black white grey teal cyan beige gold silver violet turquoise
  maroon navy olive coral lime indigo crimson ivory
  scarlet magenta khaki amber bronze charcoal cream emerald lavender lilac mint mustard peach plum ruby rust salmon
  sapphire tan
`);

export const CITIES: readonly string[] = words(`
  Berlin Lisbon Oslo Madrid Vienna Prague Dublin Athens Zurich Geneva Krakow Porto Seville Turin Malmo Bergen Tallinn
  Riga Vilnius Gdansk Lyon Nantes Ghent Utrecht Leipzig Graz Basel Nairobi Lagos Accra Cairo Tunis Amman Muscat
  Lima Quito Bogota Santiago Toronto Denver Austin Boston Seattle Portland Kyoto Osaka Seoul Hanoi Manila Perth
  Helsinki Warsaw Budapest Zagreb Ljubljana Sofia Bucharest Reykjavik Glasgow Cardiff Bristol Leeds Bordeaux Toulouse
  Marseille Bologna Naples Palermo Valencia Bilbao Granada Innsbruck Salzburg Dresden Hamburg Bremen Rotterdam Antwerp
  Aarhus Uppsala Marrakesh Dakar Kampala Durban Beirut Doha Mumbai Chennai Jakarta Bangkok Taipei Busan Sapporo
  Auckland Sydney Brisbane Vancouver Montreal Chicago Houston Phoenix Havana Caracas Recife Montevideo
`);

export const LANGUAGES: readonly string[] = words(`
  English German French Spanish Italian Portuguese Dutch Polish Czech Russian Turkish Greek Arabic Hebrew Hindi
  Japanese Korean Chinese Vietnamese Swedish Danish Finnish Norwegian Hungarian Romanian Swahili
`);

export const COUNTRIES: readonly string[] = words(`
  Germany France Spain Italy Portugal Belgium Poland Austria Switzerland Norway Sweden Denmark Finland Iceland Ireland
  Greece Turkey Egypt Morocco Kenya Nigeria Ghana Senegal Uganda India Nepal Japan Korea Vietnam Thailand Indonesia
  Canada Mexico Cuba Brazil Chile Peru Argentina Bolivia Australia Croatia Hungary Romania Bulgaria Estonia Latvia
`);

export const MATERIALS: readonly string[] = words(`
  wood oak pine steel iron copper brass silver gold glass plastic rubber leather cotton wool linen silk paper cardboard
  stone marble granite clay concrete bamboo cork
`);

export const JOBS: readonly string[] = words(`
  cook baker butcher waiter nurse doctor dentist surgeon plumber painter welder carpenter mason gardener farmer pilot
  sailor driver mechanic cashier clerk lawyer judge teacher librarian editor writer translator designer programmer
  tester analyst accountant banker broker chemist biologist geologist engineer architect firefighter guard actor dancer
  singer photographer tailor barber florist
`);
