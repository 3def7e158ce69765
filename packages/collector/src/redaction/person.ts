/**
 * Names of persons that a text speaks about or acts for: relatives, account holders, those who booked, those whom a letter
 * addresses. How people introduce themselves is in `name.ts`.
 */
import { isGivenName } from "./given-names.ts";
import { alone, calm, capitalized, CLAUSE_END } from "./name-shape.ts";
import { introduced } from "./rule.ts";
import type { DetectionRule, Span } from "./rule.ts";
import { words } from "./surroundings.ts";

const OWNER =
  "my|our|his|her|their|mein\\p{L}{0,2}|unser\\p{L}{0,2}|sein\\p{L}{0,2}|ihr\\p{L}{0,2}|mon|ma|mes|notre|nos|son|sa|mi|nuestr[oa]|su|mi[oa]|nostr[oa]|su[oa]|meu|minha|noss[oa]|mijn|onze|ons|zijn|haar|m[oó]j\\p{L}{0,4}|moj\\p{L}{1,4}|nasz\\p{L}{0,4}|min|mitt|vår|vårt|hans|hennes|benim";
const RELATIVE =
  "wife|husband|son|daughter|mother|father|mum|mom|mam|dad|brother|sister|friend|mate|colleague|boss|manager|partner|neighbou?r|assistant|girlfriend|boyfriend|flatmate|roommate|housemate|landlord|landlady|tenant|fianc[eé]e?|cousin|uncle|aunt|nephew|niece|nan|grandma|grandpa|gran|grandmother|grandfather|grandson|granddaughter|kid|child|baby|twin|client|patient|carer|doctor|lawyer|accountant|nanny|stepson|stepdaughter|(?:mother|father|son|daughter|brother|sister)-in-law|" +
  "(?:ehe)?frau|(?:ehe)?mann|sohn|tochter|mutter|vater|mama|papa|oma|opa|bruder|schwester|freund(?:in)?|kolleg(?:en?|in)|nachbarn?|nachbarin|chef(?:in)?|mitbewohner(?:in)?|vermieter(?:in)?|verlobte[rn]?|enkel(?:in)?|tante|onkel|neffe|nichte|schwager|schwägerin|schwieger\\p{L}{4,7}|partner(?:in)?|patenkind|kind|lebensgefährt\\p{L}{1,3}|assistentin|" +
  "femme|mari|épouse|époux|fils|fille|mère|père|maman|papa|frère|sœur|soeur|ami|amie|copain|copine|collègue|voisine?|patronn?e?|conjointe?|compagnon|compagne|grand-mère|grand-père|mamie|papi|tante|oncle|neveu|nièce|cousine?|coloc(?:ataire)?|propriétaire|locataire|assistante?|" +
  "mujer|esposa|esposo|marido|hij[oa]|madre|padre|mamá|papá|herman[oa]|amig[oa]|colega|compañer[oa](?: de piso)?|novi[oa]|pareja|vecin[oa]|jef[ea]|abuel[oa]|t[ií][oa]|prim[oa]|sobrin[oa]|niet[oa]|suegr[oa]|cuñad[oa]|caser[oa]|" +
  "moglie|marito|figli[oa]|mamma|papà|fratello|sorella|amic[oa]|collega|compagn[oa]|fidanzat[oa]|vicin[oa]|capo|nonn[oa]|zi[oa]|cugin[oa]|nipote|suocer[oa]|cognat[oa]|coinquilin[oa]|" +
  "mulher|filh[oa]|mãe|pai|irmã|irmão|namorad[oa]|noiv[oa]|vizinh[oa]|chefe|avó|avô|tia|tio|primo|prima|sobrinh[oa]|net[oa]|sogr[oa]|cunhad[oa]|companheir[oa]|senhori[oa]|" +
  "vrouw|man|zoon(?:tje)?|dochter(?:tje)?|moeder|vader|ma|pa|broer|zus(?:je)?|vriend(?:in)?|buurman|buurvrouw|baas|oma|opa|neef|nicht|oom|echtgeno(?:ot|te)|verloofde|huisgeno(?:ot|te)|schoon\\p{L}{4,7}|" +
  "żon[aąęyie]{1,2}|m[ąę]ż\\p{L}{0,3}|syn\\p{L}{0,4}|córk[aiąęo]|córce|córeczk\\p{L}{1,2}|mam[aąęyie]{1,2}|tat[aąęyo]|ta[ct]ie|brat\\p{L}{0,3}|siostr\\p{L}{1,3}|koleg\\p{L}{1,3}|koleżan\\p{L}{1,3}|przyjaci\\p{L}{1,6}|sąsiad\\p{L}{0,4}|szef\\p{L}{0,4}|babci\\p{L}{0,2}|dziad\\p{L}{2,4}|narzeczon\\p{L}{1,4}|partner\\p{L}{0,4}|wnu\\p{L}{1,4}|ciotk\\p{L}{1,2}|" +
  "fru|hustru|make|maka|son|dotter|mamma|pappa|mor|far|bror|syster|vän|väninna|kompis|kollega|sambo|pojkvän|flickvän|granne|chef|farmor|mormor|farfar|morfar|moster|faster|kusin|svär\\p{L}{3,5}|barnbarn";
const CALLED =
  "(?:,? (?:who is|who['’]s|is|he's|she's|die|der|das|qui|que|che|die|który|która|som)?,? ?(?:called|named|hei(?:ß|ss)t|namens|s['’]appelle|se llama|si chiama|(?:se )?chama(?:-se)?|heet|genaamd|nazywa się|ma na imię|heter))?";
/** "My daughter", "meine Kollegin heißt": one word is enough. */
const RELATED = words(
  `(?:(?:${OWNER}) (?:\\p{Ll}{2,12} )?(?:${RELATIVE})${CALLED}|(?:kızım|oğlum|eşim|karım|kocam|annem|babam|kardeşim|ablam|abim|arkadaşım|komşum|patronum|nişanlım|sevgilim|dedem|teyzem|amcam|kuzenim|yeğenim|torunum)(?: (?:için|adı|ismi))?)`,
  '[,:]? [("“„«]?',
);
/** "She is called", somewhere after a word for a relative. */
const IS_CALLED = words(
  "(?:he|she|who) is called|(?:his|her|their) (?:full )?name(?: is|['’]s)|(?:er|sie|der|die) hei(?:ß|ss)t|hieß|(?:il|elle|qui) s['’]appelle|se llama|si chiama|(?:se )?chama-se|(?:ele|ela) se chama|(?:hij|zij|ze) heet|nazywa się|ma na imię|(?:han|hon) heter|adı|ismi",
  " ",
);
const SPEAKS_OF_PERSON = new RegExp(
  words(
    `${RELATIVE}|he|she|sie|er|vormieter\\p{L}{0,3}|elle|han|hon|zij|hij|eşim|kızım|oğlum|hasta\\p{L}{0,2}|person|frau|mann|name`,
  ),
  "iu",
);
/** Who did or holds something. */
const ACTING = words(
  "on (?:the )?behalf of|in the name of|(?:acting|writing|calling|asking|ordering|booking) for|(?:booking|order|reservation|purchase|payment|call|request|appointment|table|room)s?(?: \\p{Ll}{2,10}){0,3} by|(?:booked|reserved|ordered|paid|signed|submitted|requested|placed|reported|rented|leased)(?: for)? by|" +
    "namens|im (?:auftrag|namen) (?:von|der|des)|i\\. ?a\\.|in vertretung(?: von)?|für|(?:gebucht|bestellt|reserviert|bezahlt|gezahlt|unterschrieben|beauftragt|angemeldet|gemietet)(?: wurde)? (?:von|durch|für)|" +
    "de la part d[e']|pour le compte de|(?:réservée?|commandée?|payée?|signée?|faite|passée) par|(?:réservation|colis|commande|table|chambre|rendez-vous) pour|" +
    "(?:en|de) (?:nombre|parte) de|por cuenta de|(?:hech|reservad|pagad|pedid|firmad|comprad|realizad)[oa] por|la (?:hizo|hice yo)[,]?|(?:reserva|paquete|pedido|mesa|cita|habitación) (?:es )?para|" +
    "per conto di|da parte di|a nome(?: di)?|(?:prenotat|ordinat|pagat|firmat|fatt|effettuat)[oa] da|(?:pacco|prenotazione|tavolo|camera|appuntamento|ordine) (?:è )?per|" +
    "em nome d[eoa]|da parte d[eoa]|(?:feit|reservad|pedid|pag|assinad|comprad|encomendad)[oa] (?:por|pel[oa])|(?:reserva|encomenda|mesa|pacote|consulta|quarto) (?:é )?para(?: [oa])?|" +
    "(?:geboekt|besteld|gereserveerd|betaald|ondertekend|geplaatst|aangevraagd) door|(?:reservering|pakket|tafel|afspraak|kamer|bestelling) (?:is )?voor|in opdracht van|" +
    "w imieniu|(?:zarezerwowan|złożon|zamówion|opłacon|podpisan)\\p{L}{1,2} przez|(?:rezerwacja|paczka|stolik|zamówienie|wizyta|pokój) (?:jest )?dla|" +
    "(?:bokat|beställt|beställd|betalat|undertecknat|bokad) av|på uppdrag av|i namn av|(?:skriver|ringer|mejlar|beställer|bokar) (?:åt|för)|(?:bokning\\p{L}{0,2}|paket\\p{L}{0,2}|bord\\p{L}{0,2}|tid\\p{L}{0,2}|rum\\p{L}{0,2}) (?:är )?(?:för|till)|" +
    "(?:parcel|package|reservation|booking|appointment|room|visa letter|table|letter|delivery) (?:is )?(?:for|under)|(?:tickets?|it|them|everything|booking|room|order) (?:\\p{Ll}{2,8} )?under",
  "[:,]? ",
);
/** An account and whose it is. */
const ACCOUNT = words(
  "(?:(?:account|contract|policy|subscription|phone|line|card|order|booking|reservation|invoice|lease|meter|licen[cs]e|car|konto|vertrag|anschluss|bestellung|karte|rechnung|buchung|compte|contrat|abonnement|commande|carte|facture|cuenta|contrato|línea|factura|reserva|conto|contratto|bolletta|utenza|conta|fatura|assinatura|rekening|abonnement|contract|umowa|faktura|konto|kontot|avtalet|abonnemanget|fakturan)(?: \\p{Ll}{1,10}){0,3}? )" +
    "(?:(?:is )?(?:registered to|in the name of|held by|belongs to|goes to|under)|läuft (?:auf|über)|lautet auf|gehört|ist auf|(?:est|enregistré)(?: \\p{Ll}{1,4})? (?:au nom de|à)|(?:está|viene|va) a nombre de|es de|(?:è )?intestat[oa] a|(?:está|é) (?:em nome d[eoa]|d[eoa])|staat op(?: naam van)?|loopt op|is van|(?:jest )?na|należy do|står (?:på|i)|tillhör|är på)",
  " ",
);
/** The salutation of a letter, which needs a comma or a line's end after a single name. */
const SALUTATION = words(
  "dear|sehr geehrte[rs]?|liebe[rs]?|cher|chère|estimad[oa]|querid[oa]|gentile|egregi[oa]|gent\\.mo|car[oa]|prezad[oa]|exm[oa]\\.?|geachte|beste|lieve|szanown[yea]|drog[ia]|bäste|bästa|käre|kära|sayın|sevgili",
  " ",
);
const TITLE_AFTER = words(
  "hr\\.?|heer|herr|herrn|mevr?\\.?|mevrouw|dhr\\.?|frau|fru|fröken|monsieur|madame|mademoiselle|maître|mme|mlle|sr\\.?|sra\\.?|srta\\.?|señora?|señorita|don|doña|dña\\.?|signora?|signorina|sig\\.?(?:ra|na)?|dott\\.?(?:ssa)?|avv\\.|ing\\.|geom\\.|prof\\.?(?:ssa)?|senhora?|dona|pan[ai]?|panu|panią|panem|mr\\.?|mrs\\.?|ms\\.?|mx\\.?|dr\\.?|miss|mister|familie|family|famille|familia|famiglia|família|familjen|rodzina|bayan|bay|sayın",
  " ",
);
/** Who else may be called, or called for. */
const KNOWN_AS = words(
  "(?:i )?go(?:es)? by|known as|nickname is|ask for|spelled|spelt|better known as|genannt|gerufen|spitzname(?: ist)?|surnom(?: est| c['’]est)?|apodo(?: es)?|soprannome(?: è)?|apelido(?: é)?|bijnaam(?: is)?|ksywa|smeknamn(?: är)?|kalla mig|mówcie mi|mów mi|zeg maar|noem me|dites|llámame|chiamami|chama-me|me chame de|nenn(?:t|en sie)? mich|appelle[zr]?[- ]moi|attn:?|c/o",
  "[:,]? ",
);
/** "uno a mio nome, Ubaldo Ricci": the name stands in brackets or after a comma. */
const MY_NAME_APART = words(
  "my (?:own )?name|mein(?:en|em)? namen?|mon (?:propre )?nom|mi (?:propio )?nombre|(?:il )?mio nome|(?:o )?meu nome|mijn (?:eigen )?naam|moje (?:imię|nazwisko)|mitt (?:eget )?namn|(?:auf|for|für|sur|på|op|na) (?:mich|me|moi|mig|mij|mnie)",
  " ?[(,:] ?",
);

const one = (rest: string): Span | null => {
  const found = alone(rest, CLAUSE_END);
  return found === null || /^\p{Lu}+$/u.test(rest.slice(...found)) ? null : found;
};
const startsWithGiven = (rest: string): Span | null => {
  const found = capitalized(rest, 1);
  const first = found && /^[\p{L}]+/u.exec(rest.slice(...found))?.[0];
  return first && isGivenName(first) ? found : null;
};

export const PERSON_RULES: readonly DetectionRule[] = [
  calm(introduced("NAME", new RegExp(RELATED, "iu"), (rest) => capitalized(rest, 1))),
  {
    ...introduced("NAME", new RegExp(IS_CALLED, "iu"), (rest) => capitalized(rest, 1)),
    locate: (text, { 0: match, index }) => {
      const end = index + match.length;
      if (!SPEAKS_OF_PERSON.test(text.slice(Math.max(0, index - 50), end - 1))) return null;
      const rest = text.slice(end, end + 120);
      const found = capitalized(rest, 1);
      return found && [end + found[0], end + found[1]];
    },
  },
  introduced(
    "NAME",
    new RegExp(ACTING, "iu"),
    (rest) => startsWithGiven(rest) ?? titled(rest) ?? capitalized(rest, 2),
  ),
  introduced(
    "NAME",
    new RegExp(ACCOUNT, "iu"),
    (rest) => capitalized(rest, 2) ?? startsWithGiven(rest),
  ),
  introduced("NAME", new RegExp(TITLE_AFTER, "iu"), (rest) => capitalized(rest, 1)),
  introduced("NAME", new RegExp(SALUTATION, "iu"), (rest) => {
    // A colon ends a salutation, and is no sign of a label.
    const found = capitalized(rest.replaceAll(":", ","), 1);
    return found !== null && /^ ?[,!:\n]/u.test(rest.slice(found[1])) ? found : null;
  }),
  introduced("NAME", new RegExp(KNOWN_AS, "iu"), (rest) => one(rest) ?? startsWithGiven(rest)),
  introduced("NAME", new RegExp(MY_NAME_APART, "iu"), (rest) => capitalized(rest, 2)),
  // "ich werde Maxi genannt", "bana Memo derler", "kimlikte Mehmet Emin yazar"
  introduced(
    "NAME",
    /(?<![\p{L}\p{N}_])(?:(?:werde|alle|mich) (?=\p{Lu}\p{Ll}+ (?:genannt|gerufen)(?!\p{L}))|bana (?=\p{Lu}\p{Ll}+ d(?:er|iyor)ler)|(?:kimlik|pasaport|kart)\p{L}{0,4} (?=(?:\p{Lu}\p{Ll}+ ){1,3}yaz))/iu,
    (rest) => capitalized(rest, 1),
  ),
];

/** A name after a title. */
function titled(rest: string): Span | null {
  const found = capitalized(rest, 1);
  return found !== null && found[0] >= 2 ? found : null;
}
