/** Words that names, titles and notes are made of. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const FIRST_NAMES: readonly string[] = words(`
  Ana Ben Carla David Elena Farid Greta Hugo Ines Jonas Karin Liam Mira Nico Olga Pavel Quentin Rosa Samir Tina
  Uma Viktor Wanda Xenia Yusuf Zoe Aisha Bruno Chen Dalia Emil Fatima Goran Hana Ivan Julia Kofi Lena Mateo Nadia
  Omar Petra Rafael Sofia Tomas Ulrike Vera Walter Yara Zeno Alma Boris Celia Dario Edith Felix Gloria Henrik Irma
  Jarek Kyra Leo Marta Noah Oskar Priya Ravi Silke Theo Ursula Vito Willa Amara Bilal Clara Dev Esra Finn Gita
  Hassan Ida Joel Kaya Luca Maya Nils Otto Paula Remy Selma Tariq Vida Wim Adela Bodo Cora Dina Ezra Freya Gus
  Hedda Igor Jana Kurt Lola Milo Nora Odin Pia Rune Stella Tove Uwe Vince Yuri Zara Anton Bea Cyril Dora Enzo
`);

export const LAST_NAMES: readonly string[] = words(`
  Kovac Lindgren Moreau Ortega Petrov Quist Rossi Sato Tanaka Unger Vogel Weber Yilmaz Zimmer Adeyemi Baker Costa
  Dubois Eriksen Fischer Garcia Haddad Ito Jansen Khan Lopez Meyer Novak Okafor Park Reyes Schmidt Tran Varga
  Walsh Young Abebe Bauer Cohen Diaz Evans Fontana Green Hill Ivanov Jones Keller Lund Mori Nair Olsen Popov Rahman
  Silva Torres Vance Wagner Ziegler Amari Blom Cruz Dahl Engel Ferro Gomez Hoffman Ibsen Jung Kline Laurent Marsh
  Nolan Ohara Prado Ruiz Stone Thorn Voss Wolfe Archer Boyd Carver Drake Ellis Frost Grant Hayes Irving Jarvis
`);

export const ADJECTIVES: readonly string[] = words(`
  blue quiet golden early northern small bright weekly silver rapid green hidden open winter summer spring autumn
  annual red gentle old new deep wild simple warm cold lucky secret public final first second urgent fresh clean
  dark soft royal western eastern southern hollow broken happy sleepy modern ancient plain double crystal paper
  wooden velvet copper stormy sunny misty frozen electric lazy brave clever honest polite tiny giant curious
`);

export const THINGS: readonly string[] = words(`
  harvest river lantern budget garden launch review bridge plan workshop marathon window forest report picnic
  sunrise meadow engine castle market harbor island kitchen mountain studio library orchard railway tunnel canyon
  festival wedding birthday dinner breakfast training interview contract survey design prototype migration release
  roadmap strategy concert rehearsal opening closing checkup delivery cleanup inventory audit payroll newsletter
  campaign handbook manual sketch poster puzzle compass anchor feather pebble thunder rainbow comet planet galaxy
`);

export const NOTE_VERBS: readonly string[] = words(`
  bring check call clean fix order pack paint print replace return send sort test water wash move open close count
  cover measure mount label deliver collect inspect repair refill update copy store
`);

export const COLORS: readonly string[] = words(`
  red blue green yellow orange purple pink brown black white grey teal cyan beige gold silver violet turquoise
  maroon navy olive coral lime indigo crimson ivory
`);

export const CITIES: readonly string[] = words(`
  Berlin Lisbon Oslo Madrid Vienna Prague Dublin Athens Zurich Geneva Krakow Porto Seville Turin Malmo Bergen Tallinn
  Riga Vilnius Gdansk Lyon Nantes Ghent Utrecht Leipzig Graz Basel Nairobi Lagos Accra Cairo Tunis Amman Muscat
  Lima Quito Bogota Santiago Toronto Denver Austin Boston Seattle Portland Kyoto Osaka Seoul Hanoi Manila Perth
`);
