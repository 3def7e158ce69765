import { isNotName } from "./not-names.ts";
import {
  alone,
  calm,
  capitalized,
  CLAUSE_END,
  givenName,
  LINE_END,
  lowerCase,
} from "./name-shape.ts";
import { introduced } from "./rule.ts";
import type { DetectionRule, Span } from "./rule.ts";
import { words } from "./surroundings.ts";

const OWNER =
  "my|the|his|her|whose|our|their|mein|der|dein|ihr|sein|mon|ton|son|le|notre|mi|su|tu|el|il|il mio|il suo|lo|meu|o meu|seu|o|mijn|de|zijn|haar|het|moje|moja|jego|jej|mitt|hans|hennes|benim";
const NAME_NOUN =
  "(?:full |first |last |given |famil\\w |legal |middle |maiden |real |correct |new |old |proper )?(?:name|surname|forename|nickname)|(?:(?:voller|vollständiger|richtiger|neuer|echter) )?(?:name|vorname|nachname|familienname|mädchenname|rufname)|" +
  "(?:nom|pr[eé]nom)(?: (?:complet|de famille|de jeune fille|et pr[eé]nom))?|nombre(?: (?:completo|y apellidos?|real))?|(?:primer |segundo )?apellidos?|nome(?: (?:completo|e cognome|di battesimo|e sobrenome|próprio))?|cognome|sobrenome|apelido|(?:volledige )?(?:voor|achter|roep|meisjes)?naam|" +
  "imi[eę](?: i nazwisko)?|nazwisko(?: (?:panieńskie|rodowe))?|(?:fullständiga |riktiga )?(?:för|efter|mellan)?namn";
const ON_THING =
  "(?: (?:on|for|of|in|auf|für|sur|de|du|en|pour|su|per|sulla|della|no|na|do|da|op|van|voor|på) (?:(?:the|my|this|der|die|das|dem|la|le|el|il|o|a|de|het|mijn|ma|mi) )?(?:\\p{L}{2,16} )?(?:card|account|booking|ticket|order|passport|reservation|invoice|bill|contract|konto|karte|buchung|rechnung|pass|ausweis|vertrag|carte|compte|réservation|billet|facture|passeport|contrat|tarjeta|cuenta|reserva|pasaporte|factura|carta|conto|prenotazione|biglietto|passaporto|contratto|cartão|conta|passaporte|bilhete|kaart|rekening|boeking|paspoort|umowie|karcie|koncie|kortet|kontot|bokningen))?";
const IS =
  "(?: is| are|['’]s| reads| says| should (?:be|read)| ist| lautet|,? c['’]est| est| es| è| é| to| brzmi| är|(?=\\s?[:=]))";
/** "My name is", also before names in lower case. A product has a name, too. */
const STRONG = words(
  `(?<!(?:product|file|user|brand|company|shop|store|hotel|dog|cat|pet|domain|host|business|team|model|project|class|ship|boat|horse|song|band|network|school|street|city|colou?r|produkt|firmen|hund|hundes|katze) |(?:dog|cat|horse|puppy|pet)['’]s )(?:(?:${OWNER}) )?(?:${NAME_NOUN})${ON_THING}${IS}|(?:my|the) names?|` +
    "i am called|i'm called|ich hei(?:ß|ss)e|hei(?:ß|ss)e ich|je m['’ ]?appelle|me llamo|mi chiamo|(?:eu )?me chamo|chamo-me|ik heet|nazywam si[eę]|mam na imi[eę]|zwę się|jag heter|heter jag|(?:benim )?(?:adım|[iİ]smim)(?: (?:soyadım|da|ise))?|soyadım(?: da)?",
  String.raw`[\s:=]{1,3}(?:de |da )?`,
);
/** "They call me": said of much else in lower case. */
const NICKNAME = words(
  "(?:they|people|everyone|everybody|friends|just|you can|always) calls? me|mich nennen alle|(?:man nennt|alle nennen|nennt) mich|on m['’]appelle|me (?:dicen|llaman)|(?:me )?chama(?:m)? (?:me )?de|mi chiamano|(?:ze|iedereen) noem(?:en|t) (?:me|mij)|mówią (?:na|do) mnie|(?:jag )?kallas|bana \\p{L}{1,12} derler",
  " ",
);
/** "I am": needs a name of two words. */
const WEAK = words(
  "hier (?:spricht|schreibt|ist|meldet sich)|ich bin['’]?s,?|am apparat(?: ist)?|(?:aqui )?quem fala é(?: o| a)?|(?:le )?(?:habla|saluda|escribe|atiende)(?: con)?|(?:vous parlez|tu parles) (?:à|avec)|(?:le|te) (?:scrive|parla)|(?:lei )?sta parlando con|(?:on the line|writing|chatting|corresponding) (?:is|with)|(?:det är )?jag som är|u spreekt met|met|spreekt u mee|z tej strony|mówi|i am|i['’]m|ich bin(?: der| die)?|moi,? c['’]est|(?:speaking|talking) (?:with|to)|je suis|soy|habla|sono|parla|scrive|sou(?: o| a)?|fala(?: o| a)?|aqui é(?: o| a)?|aquí|ik ben|(?:u spreekt )?met|jestem|tu(?: mówi)?|" +
    "jag är|det här är|ben|call me|signed,?|im",
  " ",
);
/** "This is": also said of things, so that only some words may follow the name. */
const THIS_IS = words(
  "this is|it['’]s|here is|hier (?:ist|spricht)|c['’]est|ici|det är|to jest|es|è|é",
  " ",
);
const SPEAKING =
  /^ (?:speaking|here|calling|again|à l['’]appareil|am apparat|al (?:aparato|habla|telefono|teléfono)|ao telefone|aan de (?:lijn|telefoon)|przy telefonie|(?:som|här) (?:ringer|skriver|mejlar|igen)|i telefonen)(?!\p{L})/iu;
const OF_PERSON =
  /^(?:,|[.,]? (?:i['’ ]|my |speaking|calling|from |here|again|writing|ich |mein|aus |je |j['’]|à l|jag |från |som |z |speaking|à l['’]appareil|am apparat|al (?:aparato|telefono|teléfono)|ao telefone|aan de lijn))/iu;
/** In these languages a capital letter after "I am" begins a name. */
const WEAK_ONE = words(
  "i am|i['’]m|im|moi,? c['’]est|je suis|soy(?: la| el)?|sono|sou(?: o| a)?|ik ben|jestem|jag är|jag som är|ben|signed,?|ich bin['’]?s,?|z tej strony|hier (?:schreibt|spricht)|ici|aquí|aqui é(?: o| a)?|quem fala é(?: o| a)?|habla|parla|fala(?: o| a)?|met|tu",
  " ",
);
const FROM = /^,? (?:from|calling|speaking|aus|de |du |uit|från|z |da )/u;
/** "Hello, I'm": one word is enough. */
const GREETED = words(
  String.raw`(?:hi|hello|hey|yo|hiya|evening|morning|good (?:morning|evening|afternoon)|hallo|hej|guten (?:tag|morgen|abend)|bonjour|salut|hola|buenos días|ciao|buongiorno|salve|olá|oi|bom dia|goedendag|hoi|cześć|dzień dobry|merhaba|selam)[,!.]{0,3} (?:there[,!.]? )?(?:i am|im|je m['’]appelle|i['’]m|this is|my name['’]s|ich bin|hier ist|hier spricht|ici|je suis|c['’]est|soy|sono|sou(?: o| a)?|aqui é(?: o| a)?|ik ben|je spreekt met|met|z tej strony|jestem|tu|jag är|det är|ben|it['’]s)`,
  " ",
);
/** Titles, and words for relatives and colleagues: one word is enough. */
const TITLED = `(?<![\\p{L}\\p{N}_])(?:[Ss]ig\\.(?:ra|na)? |[Dd]ott\\.(?:ssa)? |(?:[Kk]ızım|[Oo]ğlum|[Ee]şim|[Aa]nnem|[Bb]abam|[Kk]ardeşim|[Aa]rkadaşım),? |(?:Mr|Mrs|Ms|Dr|Prof|Sr|Sra|Sig|Dott|Mme|Mlle|Dhr|Mevr)\\.? |(?:Miss|Mister|Herrn?|Frau|Monsieur|Madame|Señora?|Doña|Signora?|Senhora?|Dona|Meneer|meneer|Mevrouw|mevrouw|Pana?|Panu|Pani[ąa]?|Fru|Bayan|Bay|Sayın) |(?:[Mm]y|[Oo]ur) (?:wife|husband|son|daughter|mother|father|mum|mom|dad|brother|sister|friend|colleague|boss|partner|neighbou?r|assistant|girlfriend|boyfriend) |[Mm]ein(?:e[rmn]?)? (?:Frau|Mann|Sohn|Tochter|Mutter|Vater|Bruder|Schwester|Freund(?:in)?|Kolleg(?:e|in)|Nachbar(?:in)?|Chef(?:in)?),? |[Mm](?:a|on) (?:femme|mari|fils|fille|mère|père|frère|sœur|ami|amie|collègue),? |[Mm]i (?:mujer|esposa|marido|hijo|hija|madre|padre|hermano|hermana|amigo|amiga|colega) |[Mm]i[oa] (?:moglie|marito|figlio|figlia|madre|padre|fratello|sorella|amico|amica),? |[Mm](?:eu|inha) (?:mulher|esposa|marido|filho|filha|mãe|pai|irmão|irmã|amigo|amiga),? |[Mm]ijn (?:vrouw|man|zoon|dochter|moeder|vader|broer|zus|vriend|vriendin|collega),? |[Mm](?:oja|ój) (?:żona|mąż|syn|córka|mama|tata|brat|siostra),? |[Mm]in (?:fru|man|son|dotter|mamma|pappa|bror|syster|vän|kollega),? )`;
/** Labels of forms, at the start of a line or after punctuation. */
const label = (names: string): RegExp =>
  new RegExp(
    String.raw`(?<![\p{L}\p{N}_-])(?<![\p{L}\p{N}] )["']?(?:${names})["']?(?: ?\([^)\n]{1,20}\))?\s?[:=|]`,
    "iu",
  );
const FIELD = label(
  String.raw`(?:(?:full|first|last|given|famil\w|middle|customer|contact|guest|passenger|patient|recipient|billing|shipping|card ?holder|account ?holder|your|sender)['’]?s?[ _-]?)?name(?: on (?:the )?card)?|surname|card ?holder|account ?holder|attn|addressee|signed(?: by)?|signature|undersigned|(?:ordered|booked|requested|submitted|placed|reported) by|name (?:des|der|of the) (?:patient|kund|gast|karten|konto)\p{L}{0,10}|n(?:om|ome|ombre) d(?:u|el|ella|a|o) (?:patient|client|titular|paci|pazi|intest)\p{L}{0,8}|(?:passenger|traveller|guest)(?: \d)?|resident|tenant|insured|beneficiary|applicant|traveller|driver|` +
    "patient(?:in|e|ën|ent)?|paciente|paziente|patiënt|pacjent(?:ka)?|hasta|passasjer|passag(?:er|ère)|pasajer[oa]|passeggero|passageir[oa]|fahrgast|gast|reisende[rn]?|firmado(?: por)?|firmato(?: da)?|assinado(?: por)?|assinatura|signataire|signé|gezeichnet|bestellt von|commandé par|pedido por|ordinato da|besteld door|handtekening|ondertekend(?: door)?|podpis(?:ano)?|zamawiając[ya]|underskrift|signatur|beställare|imza|" +
    "(?:vor|nach|familien|voller )-?name|vor- und nachname|kontoinhaber(?:in)?|karteninhaber(?:in)?|ansprechpartner(?:in)?|z\\. ?hd\\.|unterschrift|" +
    "(?:nom|prénom)s?(?: (?:et prénom|de famille|complet|du titulaire|et nom))?|titulaire(?: du compte)?|nombre(?: completo| y apellidos?)?|apellidos?|titular(?: de la cuenta| da conta)?|" +
    "nome(?: e cognome| completo| e sobrenome)?|cognome|intestatari[oa]|sobrenome|apelido|" +
    "(?:voor|achter|volledige )?naam|rekeninghouder|kaarthouder|posiadacz(?: rachunku| karty| konta)?|(?:konto|kort)(?:inne)?havare|(?:hesap|kart) sahibi|t\\.a\\.v\\.|imi[eę](?: i nazwisko)?|nazwisko|(?:f[öo]r|efter|fullständigt )?namn|" +
    String.raw`(?:(?:hasta|müşteri|yolcu|misafir) )?ad(?:ı)?(?: ?soyad(?:ı)?)?|[iİ]sim(?: soyisim)?|soyad(?:ı)?|soyisim|emergency contact|next of kin|notfallkontakt|contact d['’]urgence|contacto de emergencia|contatto di emergenza|contacto de emergência|noodcontact|kontakt alarmowy|nödkontakt`,
);
/** Labels before persons or companies: they need two words. */
const ROLE_FIELD = label(
  "recipient|sender|firma|ship to|bill to|deliver to|contact(?: person)?|customer|client[ei]?|klant|klient(?:ka)?|kund|müşteri|empfänger(?:in)?|absender(?:in)?|kund(?:e|in)|destinataire|" +
    "expéditeur|destinatari[oa]|remitente|mittente|destinatári[oa]|remetente|ontvanger|odbiorca|nadawca|mottagare|avsändare|alıcı|gönderen",
);
/** Closings of letters: the name stands on the next line, or after a comma. */
const CLOSING = words(
  "(?:(?:best|kind|warm|many)(?:est)? )?regards|best wishes|best|cheers|(?:many )?thanks(?: in advance)?|thank you|thx|ty|ta|take care|bye|xx|sincerely(?: yours)?|yours(?: (?:sincerely|truly|faithfully))?|love|" +
    "(?:mit )?(?:freundlichen|besten|lieben|vielen|herzlichen|schönen) gr(?:ü|ue)(?:ß|ss)en|(?:viele|liebe|beste|schöne|herzliche) grüße|grüße|gruß|lg|mfg|vg|vielen dank|danke|bis (?:bald|dann)|tschüss|herzlichst|hochachtungsvoll|i\\.? ?a\\.|alles (?:gute|liebe)|" +
    "cordialement|bien (?:cordialement|à vous)|salutations(?: distinguées)?|merci(?: d['’]avance)?|amicalement|bien à toi|bises|bisous|biz|à (?:bientôt|plus)|respectueusement|sincèrement|un abrazo|abrazos|besos|besitos|hasta (?:luego|pronto)|baci|un bacio|un abbraccio|a presto|in fede|(?:un )?saludos?(?: cordiales?)?|atentamente|gracias|(?:cordiali|distinti) saluti|(?:un )?(?:cordiale )?saluto|saluti|grazie(?: mille)?|" +
    "atenciosamente|att|cumprimentos|(?:um )?abraços?|obrigad[oa]|beijos|beijinhos|bjs|abs|até (?:logo|breve)|(?:met )?vriendelijke groet(?:en)?|groet(?:en|jes)?|liefs|hoogachtend|tot (?:snel|ziens)|mvg|bedankt|pozdrawiam(?: serdecznie)?|z poważaniem|z wyrazami szacunku|z pozdrowieniami|pozdrowienia|pozdro|dziękuję|dzięki|buziaki|do (?:zobaczenia|widzenia)|" +
    "vänligen|(?:med )?(?:vänliga? |bästa |hjärtliga )?hälsning(?:ar|en)?|mvh|hälsar|kram(?:ar)?|puss|ha det|vi hörs|tack(?: på förhand)?|saygılarımla|saygılar(?:ımızla)?|sevgiler(?:le|imle)?|teşekkür(?:ler|\\p{L}*)|iyi (?:günler|çalışmalar|akşamlar)|kolay gelsin|hoşça kal\\p{L}*|görüşürüz|selamlar",
  String.raw`(?: (?:for|für|pour|por|per|pelo|voor|za|för)(?: \p{L}{1,14}){1,3})?[ \t]{0,2}(?:[,.!–-]{0,2}[ \t]{0,2}\n[ \t\n]{0,4}[–-]{0,2}[ \t]?|, ?)`,
);
const IS_CLOSING = new RegExp(`^(?:${CLOSING})`, "iu");
/** Abbreviated closings need no comma. */
const SHORT_CLOSING = words(
  "mvh|lg|mfg|vg|mvg|groetjes|gr|herzlichst|saygılarımla|vänligen|gruß|grüße|hälsningar|saludos|saluti|pozdrawiam|groet(?:en)?|regards|kram|xx|bises|sincerely",
  "[ ,]{1,2}",
);
/** Bookings and accounts in somebody's name: needs two words. */
const IN_NAME = words(
  "(?:in|on|by) (?:the |my )?name(?: of)?|deliver(?:y|ed)? for|(?:change|update|correct) (?:the |my )?name(?: \\p{L}{2,10}){0,4} to|(?:passport|ticket|licen[cs]e|card|id) (?:says|shows|has)|(?:ausweis|pass) steht|(?:carné|pasaporte|dni|documento) (?:pone|dice|figura)|passeport|documento c['’]è scritto|" +
    String.raw`(?:(?:account|card|policy) ?holder|kontoinhaber(?:in)?|titulaire(?: du compte)?|titular|intestatari[oa]|rekeninghouder|posiadacz\p{L}{0,3}|kontoinnehavare|hesap sahibi|patient(?:in|e)?|paciente|paziente|patiënt|pacjent\p{L}{0,3})(?: is| ist| est| es| è| é| är| to|:? (?:now|jetzt|ahora|ora|agora|nu|teraz))?|(?:je |il |la )?(?:soussignée?|sottoscritt[oa]|undersigned|unterzeichnete[rn]?|unterzeichner(?:in)?|abajo firmante|abaixo[- ]assinad[oa]|ondergetekende|niżej podpisan[ya]|undertecknad),?|` +
    "booked (?:for|by)|registered (?:to|for)|ma[dk]e (?:it |the \\p{L}{3,12} )?out to|(?:is|be|it|order|booking|reservation|table) under(?! the)|made out to|belongs to|addressed to|account (?:of|holder)",
  "[:,]? ",
);
const IN_NAME_ONE = words(
  "under (?:the |my )?name(?: of)?|(?:reservation|booking|table) (?:is )?(?:for|under)(?! the)|auf (?:den|meinen) namen(?: von)?|unter dem namen|au nom d[eu]|" +
    "a nombre de|a nome(?: d[ie])?|intestat[oa] a|em nome d[eoa]|(?:op|onder) (?:de )?naam(?: van)?|na nazwisko|w imieniu|i namnet|under namnet|for the attention of|zu händen(?: von)?|à l['’]attention de|a la atención de|all['’]attenzione di|ao cuidado de|c/o|t\\.n\\.v\\.|ter attentie van|do rąk",
  "[:,]? ",
);
/** "I, Ada Lovelace, hereby". */
const MYSELF = words("i,|ich,|moi,|yo,?|io,?|eu,?|ik,|ja,|jag,|ben,", " ");
const AGAIN = words("it['’]s|this is", " ");
/** A person to deliver to, before a place. */
const RECIPIENT = words(
  "(?:deliver|ship|send|post|mail)(?:ed)?(?: (?:it|them|this|everything))? to|(?:liefer|schick|send)\\p{L}{0,3}(?: \\p{L}{2,12})? an|(?:livre|envoye|expédie)[rz] (?:à|chez)|env[ií]\\p{L}{1,5} a|(?:spedi|consegn|invi)\\p{L}{1,5} a|bezorgen bij|skicka till",
  " ",
);
const TO_PLACE = /^(?:,| (?:at|in|on)) ?(?:\d|$)/u;
/** Somebody to tell, before a phone number: the piece ends where its placeholder stands. */
const CONTACT = words(
  "call|tell|ask(?: for)?|notify|inform|contact|reach|text|ring|phone|rufen sie|anrufen bei|informieren|verständigen|fragen sie|prévene[rz]|avertisse[rz]|appele[rz]|joindre|contacte[rz]|avis\\p{L}{1,5}(?: a)?|llam\\p{L}{1,4} a|pregunt\\p{L}{1,4} por|avvis\\p{L}{1,5}|chiam\\p{L}{1,4}|contatt\\p{L}{1,5}|lig\\p{L}{1,4} (?:para|a) ?[oa]?|bel(?:len)?|waarschuw|zadzwo\\p{L}{1,4} do|dzwoni\\p{L}{1,3} do|ring|kontakta|arayın",
  " ",
);

const beforePlaceholder = (
  pattern: RegExp,
  find: (rest: string) => Span | null,
): DetectionRule => ({ ...introduced("NAME", pattern, find), beforePlaceholder: true });

/** Names that are introduced. */
export const NAME_RULES: readonly DetectionRule[] = [
  // A line with a name before an address, a phone number or an e-mail address.
  beforePlaceholder(/^|\n/u, (rest) => {
    const found = capitalized(rest, 2);
    const isLine =
      found !== null && /^[ \t|]{0,3}[\n,;|][ \t\n|]{0,3}$/u.test(rest.slice(found[1]));
    return isLine && found[0] <= 3 && !IS_CLOSING.test(rest) ? found : null;
  }),
  // "My details: Ada Lovelace, [ADDRESS_1]", "for Ada Lovelace - [EMAIL_1]"
  beforePlaceholder(
    /(?<=(?:^|[:;,(\n]|(?<!\p{L})(?:for|to|an|für|à|pour|a|para|per|voor|aan|dla|do|till|för|at|on|name)) ?)(?=\p{Lu}[^\d\n:;,]{4,40}(?: \([^)\n]{2,20}\))?[ \t]?[\n,;|–-][ \t\n]{0,3}(?:\p{Ll}{2,6}:? )?$)/u,
    (rest) => {
      const found = capitalized(rest, 2);
      const isWhole =
        found !== null &&
        /^(?: \([^)\n]{2,20}\))?[ \t]?[\n,;|–-][ \t\n]{0,3}(?:\p{Ll}{2,6}:? )?$/u.test(
          rest.slice(found[1]),
        );
      return isWhole && found[0] === 0 && !IS_CLOSING.test(rest) ? found : null;
    },
  ),
  introduced(
    "NAME",
    new RegExp(STRONG, "iu"),
    (rest) => capitalized(rest, 1) ?? lowerCase(rest) ?? givenName(rest),
  ),
  calm(introduced("NAME", new RegExp(NICKNAME, "iu"), (rest) => capitalized(rest, 1))),
  calm(introduced("NAME", new RegExp(GREETED, "iu"), (rest) => capitalized(rest, 1))),
  calm(
    introduced(
      "NAME",
      new RegExp(WEAK, "iu"),
      (rest) => capitalized(rest, 2) ?? alone(rest, FROM) ?? givenName(rest),
    ),
  ),
  calm(
    introduced("NAME", new RegExp(THIS_IS, "iu"), (rest) => {
      const found = capitalized(rest, 1);
      const isTwo = found !== null && rest.slice(...found).includes(" ");
      const after = found === null ? "" : rest.slice(found[1]);
      return (isTwo ? OF_PERSON : SPEAKING).test(after) ? found : null;
    }),
  ),
  calm(introduced("NAME", new RegExp(WEAK_ONE, "iu"), (rest) => alone(rest, CLAUSE_END))),
  introduced("NAME", new RegExp(TITLED, "u"), (rest) => capitalized(rest, 1)),
  introduced("NAME", FIELD, (rest) => {
    const lower = lowerCase(rest);
    // One word in lower case is often a hint such as `required`.
    return capitalized(rest, 1) ?? (lower && rest.slice(...lower).includes(" ") ? lower : null);
  }),
  introduced("NAME", ROLE_FIELD, (rest) => capitalized(rest, 2)),
  introduced("NAME", new RegExp(CLOSING, "iu"), (rest) => {
    const found = capitalized(rest, 1);
    const isAfterTitle = found !== null && !/[:："*]/u.test(rest.slice(0, found[0]));
    return found !== null && isAfterTitle && LINE_END.test(rest.slice(found[1])) ? found : null;
  }),
  introduced("NAME", new RegExp(SHORT_CLOSING, "iu"), (rest) => alone(rest, LINE_END)),
  introduced("NAME", /(?<!\p{L})(?:lg|mfg|vg|mvg|mvh|gr|xx),? /iu, givenName),
  introduced("NAME", new RegExp(IN_NAME, "iu"), (rest) => capitalized(rest, 2)),
  introduced("NAME", new RegExp(MYSELF, "iu"), (rest) => {
    const found = capitalized(rest, 2);
    return found !== null && rest.startsWith(",", found[1]) ? found : null;
  }),
  introduced("NAME", new RegExp(AGAIN, "iu"), (rest) => alone(rest, /^ (?:again|here)(?!\p{L})/u)),
  introduced("NAME", new RegExp(RECIPIENT, "iu"), (rest) => {
    const found = capitalized(rest, 2);
    return found !== null && TO_PLACE.test(rest.slice(found[1])) ? found : null;
  }),
  beforePlaceholder(new RegExp(CONTACT, "iu"), (rest) => {
    const word = /^\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?(?= ?[:(,] ?$)/u.exec(rest)?.[0] ?? "";
    return word.split(" ").some(isNotName) ? null : [0, word.length];
  }),
  introduced("NAME", new RegExp(IN_NAME_ONE, "iu"), (rest) => capitalized(rest, 1)),
  introduced(
    "NAME",
    /(?<![\p{L}\p{N}_])(?=(?:\p{Lu}[\p{L}'’-]{1,30} ){0,2}\p{Lu}[\p{L}'’-]{1,30},? (?:here|speaking|hier|här|am Apparat|mein Name|mon nom|à l['’]appareil|al (?:aparato|habla|telefono|teléfono)|ao telefone|aan de (?:lijn|telefoon)|przy telefonie|z tej strony|i telefonen|heiße ich|is my name|is the name|ist mein Name|heet ik|heter jag|mi chiamo)(?:[,.!:;\n]| [–-]|$))/u,
    (rest) => capitalized(rest, 1),
  ),
  // "name R J HOLLOWAY", "Name ELKE SANDER", "name on the card Ada Lovelace"
  introduced(
    "NAME",
    /(?<![\p{L}\p{N}_])(?:[Nn]ame|[Nn]om|[Nn]ombre|[Nn]ome|[Nn]aam|[Nn]amn|[Nn]azwisko|[Tt]itulaire|[Tt]itular|[Ii]ntestatario)(?: (?:on|auf|sur|en|su|no|op|på) (?:(?:the|der|la|il|o|de|het) )?\p{L}{3,9})? (?=\p{Lu}+ (?:\p{Lu}+ )?\p{Lu}{2,}(?!\p{L}))/u,
    (rest) => capitalized(rest, 2),
  ),
  // Turkish names the person first.
  introduced(
    "NAME",
    /(?<![\p{L}\p{N}_])(?=(?:\p{Lu}\p{Ll}+ )?\p{Lu}\p{Ll}+ (?:adına|adlı|adıyla|[Bb]ey|[Hh]anım|ben(?=[,.])|yaptı|yaptırdı|(?:adına )?kayıtlı|üzerine|üstüne)(?!\p{L}))/u,
    (rest) => capitalized(rest, 1),
  ),
];
