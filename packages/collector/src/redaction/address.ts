import { isNotName } from "./not-names.ts";
import { POSTAL_ADDRESS_RULES, startOfAddress } from "./postal-address.ts";
import { introduced, valueAtEnd } from "./rule.ts";
import type { DetectionRule, Span } from "./rule.ts";
import { PARTICLE, STREET_WORD } from "./street-word.ts";
import { words } from "./surroundings.ts";

/** One part of an address: a number, a word with a capital letter, a word in capitals and digits. */
const TOKEN = new RegExp(
  String.raw`^(?:(?<number>(?!\d[A-Z]\d|\d{1,2}\.[ºª])#?\d{1,6}(?:[\-/]\d{1,5}){0,3}(?:[ªº°]|\.(?=\s?\p{L})|\p{L}{1,2}(?![\p{L}\d]))?(?![\p{L}\d]))|` +
    String.raw`(?<word>(?:[dlDL]['’])?\p{Lu}[\p{L}\p{M}\d]*(?:['’.\-/]\p{L}[\p{L}\p{M}]*)*(?:(?<=(?:^|[\s,(])(?:\p{L}{1,3}|Blvd|Str|Apto?|Avda|Appt|Wohn|Lgh|Pza)|[a-zß]str|tr)\.)?)|` +
    String.raw`(?<street>(?:${STREET_WORD})(?![\p{L}\d])[.º°]?|\d?[ªº°]|[A-Z]\d[A-Z\d]*|\d[A-Z]\d|\d{1,2}\.[ºªo°])|(?<particle>(?:${PARTICLE})(?=[\s.])\.?|[dl]['’](?=\p{Lu})))`,
  "u",
);
const SEPARATOR =
  /^(?: ?\((?=\p{Lu})|\),? ?| ?[–-] ?| ?\/ ?|(?:,[ \t]?|[ \t]{0,2})\r?\n[ \t]{0,4}(?=\d|\p{Lu}[^\n:]{1,40}(?:\n|$))|,?[ \t\u00a0]{1,2}|,|:[ \t]?(?=\d)|\.(?=\d))/u;
/** What makes a number a quantity or a time. */
const NOT_NUMBER_AFTER =
  /^\s?(?:%|€|\$|£|:\d|[ap]\.?m\b|uhr|eur|items?|pcs|x\b|×|(?:hours?|days?|weeks?|minutes?|stunden|tagen?|minuten|min|jours|heures|horas|d[ií]as|giorni|ore|dagen|uur|dni|dagar|gün|saat|meter)(?!\p{L}))/iu;

/**
 * The end of an address that begins at the start of a text; 0 if there is none. It has a number and a word with a
 * capital letter.
 * @param start - the part of it that is known to be of an address.
 */
function addressEnd(text: string, start: number): number {
  let end = start;
  let at = start;
  let hasNumber = /\d/u.test(text.slice(0, start));
  let hasWord = /\p{Lu}/u.test(text.slice(0, start));
  let beforeNumber = -1;
  for (let count = 0; count < 16; count += 1) {
    const separator = at === 0 ? "" : (SEPARATOR.exec(text.slice(at))?.[0] ?? null);
    if (separator === null) break;
    const from = at + separator.length;
    const token = TOKEN.exec(text.slice(from));
    if (token?.groups === undefined) break;
    const { number, word } = token.groups;
    if (word !== undefined && word.length > 2 && !word.startsWith("No.") && isNotName(word)) {
      // Den Haag, El Puerto
      if (!/^(?:Den|Les?|La|El|L[oa]s) \p{Lu}/u.test(text.slice(from))) break;
    }
    at = from + token[0].length;
    if (number !== undefined) {
      if (NOT_NUMBER_AFTER.test(text.slice(at))) break;
      beforeNumber = separator.startsWith(",") && !hasOnlyNumber(number) ? end : -1;
      hasNumber = true;
    } else if (word !== undefined) {
      hasWord = true;
      beforeNumber = -1;
    }
    if (/\d/u.test(token[0])) hasNumber = true;
    if (token.groups["particle"] === undefined) end = at;
    if (text[at] === ")" && text.slice(start, at).includes("(")) end = at + 1;
  }
  // "Paris, 3 items": a number after a comma and before a word in lower case counts things.
  if (beforeNumber >= 0 && /^ \p{Ll}{2,}/u.test(text.slice(end))) {
    end = beforeNumber;
    hasNumber = /\d/u.test(text.slice(0, end));
  }
  return hasNumber && hasWord ? end : 0;
}

/** Whether a number can only be a postcode. */
const hasOnlyNumber = (number: string): boolean => /^\d{4,6}|-/u.test(number);

const ANNOUNCED = words(
  String.raw`(?:(?:my|our|the|home|new|shipping|delivery|billing|postal|mailing|street|work|full|current) ){0,3}add?ress(?: line)?(?: [12])?(?: is| to|['’]s)?|` +
    "(?:deliver|ship|send|post|mail|bring|forward)(?:ed|ing)?(?: (?:it|them|this|that|everything|the (?:parcel|package|order|goods|rest)|my (?:order|parcel|package)))?(?: (?:back|over))? to|deliver(?:y|ed)? (?:to|at)|(?:new |our |my |the ){0,2}(?:place|flat|house|home|office|apartment|shop|studio|hq|unit) (?:is|at)|goes to|collect(?:ed)? (?:it |them )?(?:at|from)|drop(?:ped)?(?: (?:it|them|off|this)){0,2} (?:at|off at)|moved (?:out of|from)|(?:send it|deliver|bring it|ship it) here(?=:)|(?:delivery|home visit|pick-?up|shipping|billing|invoice)(?: please| point| location)?(?=:)|(?:live|living|lives|lived|stay|staying|stayed|reside|residing|located|based) (?:at|in|on)|(?:moved|moving|relocated|come|coming) to|pick (?:it |me |us )?up (?:at|from)|(?:bill|invoice|taxi|cab)(?: it)? to|where(?=:)|lieferung(?=:)|livraison(?=:)|entrega(?=:)|consegna(?=:)|levering(?=:)|bezorging(?=:)|dostawa(?=:)|wysyłka(?=:)|leverans(?=:)|teslimat(?=:)|home is|house is at|" +
    "(?:meine |unsere |die |neue ){0,2}(?:liefer|rechnungs|post|privat|wohn|versand|heim)?(?:addr?esse|anschrift)(?: ist| lautet)?|(?:taxi|wagen)(?: soll)? (?:zum|zur|nach|an|in die)|(?:wohne(?:n|t|haft)?|lebe|gemeldet|übernachte|ziehe)(?: ich| wir| jetzt)?(?: in(?: der)?| an(?: der)?| am| im)?|(?:liefer|schick|send|versende?|bring|umgezogen|gezogen|ziehen?)\\p{L}{0,3}(?: \\p{L}{2,12}){0,4}? (?:an(?: die| den)?|nach|in (?:die|den|das)|zu[rm]?|bei)|" +
    "(?:mon |notre |l['’])?adresse(?: de (?:livraison|facturation)| postale| est| c['’]est){0,2}|(?:nous )?(?:avons )?(?:quitté|déménagé)(?: le| au| à| pour| du)*|(?:je )?(?:loge|séjourne|déménage)(?: au| à| dans)?|factur(?:e[rz]|é)(?: \\p{L}{2,9}){0,2}? (?:à|au|chez)|(?:à|a) livrer(?: au| à| chez)?|taxi (?:pour|au)|(?:j['’])?habit(?:e|ons)(?: maintenant)?(?: au| à| dans)?|(?:livre[rz]|venir|passer|livraison|envoye[rz]|expédie[rz])(?:[- ]\\p{L}{2,9}){0,3}? (?:au|à|chez)|domicilié\\p{L}{0,2}(?: au| à)?|" +
    "(?:mi |la )?dirección(?: (?:de (?:entrega|envío|facturación)|postal|es)){0,2}|vivo (?:en|a|in|na|no)|(?:factur|recog|alojad|hospedad|domiciliad|mud)\\p{L}{1,4}(?: \\p{L}{2,10}){0,2}? (?:a|en|em|na|no)|estoy en|taxi (?:a|para)|(?:env[ií]\\p{L}{1,5}|entreg\\p{L}{1,4}|mand\\p{L}{1,5})(?: \\p{L}{2,10}){0,3}? (?:a|en|para|em|na|no)(?: la)?|domicilio(?: es)?|direccion(?: es)?|piso(?: es| está en|,)|casa(?: es| está en)|es la|resido (?:en|em|in)|" +
    "(?:il mio |l['’])?indirizzo(?: (?:di (?:consegna|spedizione|casa)|è)){0,2}|(?:abito|abitiamo|vivo|vivono|sto|stiamo|alloggio|risiedo|residente|vacanza|soggiorno|andato|ritirare|fatturare)(?: in| a| presso)?|taxi per|(?:spedi|consegn|invi|sped)\\p{L}{1,6}(?: \\p{L}{2,10}){0,3}? (?:a|in|presso)|" +
    "(?:a )?(?:minha )?morada(?: é)?|(?:o )?(?:meu )?endereço(?: (?:de entrega|é)){0,2}|(?:estou|fico|buscar|entregar|casa é|recolher|levantar)(?: (?:na|no|em))|mor(?:o|amos|ada)(?: (?:na|no|em|é|de entrega)){0,2}|(?:mijn |het )?(?:bezorg|aflever|post|factuur|woon)?adres(?: is)?|taxi naar|(?:ik )?(?:logeer|verblijf|overnacht|woon)(?: nu)?(?: op| aan| in)?(?: de| het)?|(?:bezorg|stuur|lever|aflever|verstuur|breng|verhuis|verhuiz)\\p{L}{0,3}(?: \\p{L}{2,10}){0,3}? (?:naar|op|aan|bij)|" +
    "(?:mój |na )?adres(?: (?:dostawy|to|wysyłki|zamieszkania|domowy)){0,2}|(?:taksówk\\p{L}{1,2} (?:na|do|pod)|nocuj\\p{L}{1,3}|zameldowan\\p{L}{1,2}|mieszka\\p{L}{1,4}|przeprowadzi\\p{L}{2,5}(?: się)?)(?: (?:przy|na|w|z|do)){0,2}|(?:wyśl|dostarcz|przyśl|wysł)\\p{L}{1,6}(?: \\p{L}{2,12}){0,3}? (?:na|do|pod)(?: adres)?|" +
    "(?:min |vår )?(?:leverans|post|faktura|hem)?adress(?:en)?(?: är)?|taxi till|(?:jag |vi )?(?:bor|bodde|sover|hämta|flytta\\p{L}{0,2})(?: nu)?(?: i helgen| idag)? (?:på|i|vid|till|från)|(?:skicka|leverera|sänd)\\p{L}{0,2}(?: \\p{L}{2,10}){0,3}? (?:till|på)|" +
    "(?:teslimat |ev |fatura |benim )?adres\\p{L}{0,4}|evim",
  String.raw`(?![\p{L}\p{N}_])(?: ?\([^)\n]{1,20}\))?(?:["']?[ \t]?[:=|]["']?)?[ \t]{0,2}(?:\n[ \t]{0,2})?(?:(?:jetzt|nun|now|ahora|ora|agora|nu|teraz|maintenant|van|von|from|från|da|z) )?`,
);

const ANYTHING = /(?:)/u;
/** Starts of addresses that nothing announces. Each is followed by the rest of the address. */
const STARTS: readonly (readonly [pattern: string, needs: RegExp])[] = [
  // 221B Baker Street
  [
    String.raw`(?<![\p{L}\p{N}_#.,\-/])(?:(?:Flat|Apt\.?|Apartment|Unit|Suite) \w{1,5},? )?\d{1,5}(?:-\d{1,5})?[A-Za-z]? (?:[NSEW]\.? )?(?:\p{Lu}[\p{L}'’.-]{0,24} ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Boulevard|Blvd|Terrace|Crescent|Parkway|Pkwy|Highway|Hwy|Gardens|Mews|Grove)(?![\p{L}])\.?`,
    ANYTHING,
  ],
  [
    String.raw`(?<![\p{L}\p{N}_#.,\-/])\d{1,5}[A-Za-z]? (?:\p{Lu}[\p{L}'’.-]{0,24} ){1,3}(?:Drive|Dr|Court|Ct|Square|Sq|Way|Place|Pl|Close|Row|Hill|Circle|Cir|Trail|Walk|Park|Green|Quay|View|Rise|Loop)(?![\p{L}])\.?`,
    /^(?:,|\n| [A-Z]{1,2}\d)/u,
  ],
  // 77 Queen's Gate, London SW7 5JW; 5 Oak, Austin, TX 78701
  [
    String.raw`(?<![\p{L}\p{N}_#.,\-/])\d{1,5}[A-Za-z]? (?:\p{Lu}[\p{L}'’.-]{1,24}[ ,]{1,2}){1,6}(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]{2} \d{5}(?:-\d{4})?)(?![\p{L}\d])`,
    ANYTHING,
  ],
  [
    String.raw`(?<![\p{L}\p{N}_])(?:P\.? ?O\.? ?Box|Postfach|Postbus|B\.?P\.?|Apartado(?: de Correos)?|Casella [Pp]ostale|Caixa [Pp]ostal|[Ss]krytka [Pp]ocztowa|Boîte [Pp]ostale)(?= \d)`,
    ANYTHING,
  ],
  // Hauptstraße 5, Berliner Str. 12
  [
    String.raw`(?<![\p{L}\p{N}_])(?:\p{Lu}[\p{L}.-]{1,24} (?=\p{L}{0,24}[SsAaGgCc])|(?=\p{L}{3,24}(?:str|allee|gasse|chauss)))\p{L}{0,24}(?:[Ss]tra(?:ß|ss)e|[Ss]tr\.|[Aa]llee|[Gg]asse|chaussee) ?\d{1,5}(?!\d)(?: ?[a-z](?!\p{L}))?(?! (?:Min|Meter|Stunden|km|m)(?!\p{L}))`,
    ANYTHING,
  ],
  // 12 rue de Rivoli
  [
    String.raw`(?<![\p{L}\p{N}_#.,\-/])(?:\d{1,2}(?:er|e|ème) étage,? )?\d{1,4}(?: ?(?:bis|ter|[A-D]))?,? (?:[Rr]ue|[Aa]venue|[Aa]v\.|[Bb]oulevard|[Bb]d|[Cc]hemin|[Ii]mpasse|[Aa]llée|[Qq]uai|[Pp]lace|[Pp]assage|[Rr]oute|[Ss]quare|[Cc]ours)(?= (?:d[eu]s? |de la |du |d['’]|l['’]|\p{Lu}))`,
    /^(?:,? (?:d[eu]s? |de la |de l['’]|d['’]|l['’])?)\p{Lu}/u,
  ],
  // Calle Mayor 5, Via Roma 3, Rua Augusta, 100, ul. Długa 5
  [
    String.raw`(?<![\p{L}\p{N}_])(?:Calle|calle|C\/|Avenida|avenida|Avda\.?|Av\.|Plaza|Pza\.|Paseo|Carrer|Ronda|Travesía|Rua|rua|Praça|Travessa|Largo|Alameda|Estrada|Rodovia|Via|via|Viale|viale|Piazza|piazza|Piazzale|Corso|corso|Vicolo|Strada|ul\.|Ul\.|al\.|Al\.|pl\.|os\.|ulica|ulicy|ulicę|[Pp]lace|[Rr]ue|[Cc]hemin|[Aa]venue|[Ii]mpasse|[Qq]uai|[Bb]oulevard|[Ll]ungomare|corso|viale|vicolo|largo|[Ll]ocalità|[Ll]oc\.|[Ff]razione|[Cc]ontrada|[Cc]amino|[Pp]olígono(?: [Ii]ndustrial)?|Gran|[Cc]arretera|[Cc]arrera|[Cc]tra\.|[Cc]alzada|Rod\.|[Pp]raceta|[Cc]alçada|[Aa]v|[Rr]\.|[Ss]trada|[Ss]alita|[Ss]alizada|Fondamenta|Calle|[Aa]lej[ai]|[Rr]ynek|[Pp]lac|[Uu]rbanización|[Uu]rb\.|[Ll]adeira|[Bb]eco|[Qq]uinta|[Bb]airro|[Uu]rbanização|plaza|paseo|ronda|travessa|praça|alameda|estrada)(?= ?(?:de (?:l[ao]s? |l['’])|d[aeiou]s? |de[gl]l[aeio'’]? ?|d['’]|l[ao]s? |św\. )?\p{Lu}[\p{L}'’.-]+(?: (?:d[aeio]s? |de la |del |della |e |y |i )?\p{Lu}?[\p{L}'’.-]+){0,4},? (?:nº ?|n\. ?|n° ?|no\.? ?|número |lote |nave |km )?(?!(?:19|20)\d\d(?!\d|, ?\d)|\d+ ?(?:k?g|[mc]?l|[cm]m|€|%)(?!\p{L}))\d)`,
    ANYTHING,
  ],
  // Keizersgracht 123, 1015 CJ Amsterdam; Drottninggatan 5
  [
    String.raw`(?<![\p{L}\p{N}_])(?:\p{Lu}[\p{L}'’.-]{0,20} ){0,2}\p{Lu}?[\p{L}'’-]{2,30}(?:straat|laan|gracht|kade|singel|steeg|plein|dijk|dreef|gatan|gata|vägen|väg|gränd|stigen|torget|allén|backen|strand)\s\d{1,5}(?!\d)(?: ?(?:[A-Za-z]|bis|hs|[IV]{1,3})(?![\p{L}]))?`,
    ANYTHING,
  ],
  [
    String.raw`(?<![\p{L}\p{N}_])(?:\p{Lu}[\p{L}'’.-]{0,20} ){0,2}\p{Lu}[\p{L}'’-]{2,30} \d{1,4}(?:[- ]?[A-Za-z0-9]{1,3})?(?=, ?\d{4} ?[A-Z]{2} \p{Lu}|, ?\d{3} ?\d{2} \p{Lu})`,
    ANYTHING,
  ],
  // Atatürk Mah. 12. Sok. No: 5
  [
    String.raw`(?<![\p{L}\p{N}_])(?:\p{Lu}[\p{L}'’]{0,20} ){1,3}(?:Mah(?:\.|allesi)|Cad(?:\.|desi)|Sok(?:\.|ak|ağı)|Bulvarı|Blv\.)(?=[^\n]{0,60}\d)`,
    ANYTHING,
  ],
  // Lindenweg 4, Moltkering 12: no way of five minutes.
  [
    String.raw`(?<![\p{L}\p{N}_])\p{Lu}[\p{L}-]{2,28}(?:weg|platz|damm|ufer|steig|pfad|ring|berg|graben|winkel|stieg|twiete) \d{1,3} ?(?:[a-z](?!\p{L}))?(?=(?:[,;.!?\n)]|$| (?:in|und|nach|bei|zur?|gezogen|ein|bitte) ?))(?<!(?:Sitz|Park|Stell|Steh|Fuß|Schul|Arbeits|Rad|Heim|Hin|Rück)(?:platz|weg) .{0,6})`,
    ANYTHING,
  ],
  // Yeni Köy No: 12, Şile
  [
    String.raw`(?<![\p{L}\p{N}_])(?:\p{Lu}[\p{L}'’]{1,20} ){0,2}(?:Köyü?|Sitesi|Apt\.?|Apartmanı|Mevkii|Yolu|Meydanı|Sokak|Cadde) (?:No:? ?)?\d{1,4}(?=,? \p{Lu})`,
    ANYTHING,
  ],
  // Marktplatz 3, 10115 Berlin
  [
    String.raw`(?<![\p{L}\p{N}_])(?:(?:Am|An der|An den|Auf der|Auf dem|Im|In der|In den|Zum|Zur|Unter den|Alte|Alter|Neue|Neuer|Obere|Untere|\p{Lu}[\p{L}-]{2,20}) )?\p{Lu}[\p{L}-]{2,30} \d{1,4} ?(?:[a-z](?!\p{L}))?(?=(?:, ?|\s)(?:D-|A-|CH-)?(?:(?!(?:19|20)\d\d )\d{4,5}|\d\d-\d{3}|\d{4}-\d{3}|\d{5}-\d{3}) (?!Euro|Stück|Meter|Person|Punkt|Kilo|Zeichen|Dollar|Franken|Kron|Teile)\p{Lu})`,
    ANYTHING,
  ],
];

/** Two words, a comma, a postcode, or the name of a street. */
const IS_SPECIFIC =
  /\p{L}{2,}[ \n]\p{L}{2,}|,|\d{4}|(?:weg|hof|steig|pfad|platz|ring|damm|ufer|markt|straße|str\.|allee|gasse|straat|laan|plein|gracht|kade|dijk|gatan|vägen)(?!\p{L})/iu;

/** Labels of forms before a part of an address, at the start of a line. */
const LABEL =
  /(?:(?<=\n)|^)[ \t>*"-]{0,4}(?:straße(?: und hausnummer)?|strasse|street(?: address)?|(?:address )?line [12]|rue|calle|rua|morada|via|indirizzo|straat(?: en huisnummer)?|ulica|gata|gatuadress|sokak|plz(?: ?[/+,] ?| und )?(?:ort|stadt)?|ort|stadt|(?:zip|post)(?: ?code)?|postal code|c\.? ?p\.?|code postal|ville|c[óo]digo postal|ciudad|localidad|cep|cap|città|comune|cidade|localidade|postcode(?: en (?:woon)?plaats)?|(?:woon)?plaats|kod(?: pocztowy)?|miasto|miejscowość|postnummer|postadress|ort|posta kodu|il\/ilçe|ilçe|city|town|huisnummer|gade|gata och nummer|sokak\/cadde|cadde|mahalle|ulica i (?:nr|numer)|kod i miasto|nr domu|cap e città|dirección|domicilio|endereço|address|adresse|anschrift|indirizzo|adres|adress|adresse postale|cap e città|ilçe\/il|postnummer och ort|municipio|población|provincia|gemeente|stad)["']?[ \t]?[:=][ \t"']{0,3}/iu;
const AFTER_LABEL =
  /^(?<value>(?=[^\n]{0,50}\d{4}|\p{L}[^\n]{0,50} \d|\d{1,5}[a-z]?,? \p{L})(?=[^\n]{0,20}(?:\p{Lu}|\d{4}))[\p{L}\d][^\n:|;"=[\]]{1,60})(?=["']?\s*(?:\n|$|[;|]))/u;

const WORDS_OF_STREETS =
  "street|st|road|rd|avenue|ave|lane|ln|drive|dr|yard|close|court|terrace|way|gardens|rue|avenue|av|bd|boulevard|chemin|impasse|allée|place|quai|" +
  "via|viale|piazza|corso|vicolo|largo|calle|avenida|avda|plaza|paseo|camino|carrer|rua|praça|travessa|estrada|alameda|ladeira|ul|ulica|al|aleja|os|pl|mah|mahallesi|cad|caddesi|sk|sok|sokak";
/** An address in lower case: a street and a number, and what follows up to a postcode or the end of the clause. */
const LOWER_CASE = new RegExp(
  String.raw`^(?<value>(?=[^\n]{0,40}?(?:(?<!\p{L})(?:${WORDS_OF_STREETS})(?!\p{L})|(?:straße|strasse|str\.|weg|platz|gasse|allee|ring|straat|laan|gracht|kade|plein|gatan|vägen|gränd)(?!\p{L})))` +
    String.raw`(?=[^\n]{0,50}?\d)[\p{L}\d][\p{L}\d .'’/-]{3,45}?(?:(?:,? [\p{L}\d .'’/-]{0,30}?,? ?(?<!\d)(?:\d{5}-\d{3}|\d{4}-\d{3}|\d{2}-\d{3}|\d{3} \d{2}|\d{4} ?[a-z]{2}(?!\p{L})|\d{4,5}|[a-z]{1,2}\d{1,2}[a-z]? ?\d[a-z]{2})(?![\p{L}\d-])(?: (?!by|at|for|and|bitte|danke|please|por|per|svp|um|ab|bis)\p{Ll}{3,20}(?=\s*(?:$|[\n.,;!?)])))?)|(?=\.?\s*(?:$|[\n,;!?)])| (?:in|à|en|em|w|i|te) \p{L}{3,20}\s*(?:$|[\n.;!?])))(?:(?:,| (?:in|à|en|em|w|i|te)) (?!gracias|grazie|obrigad|danke|merci|thank|please|bitte|bedankt|tack|dzięki|teşekk|por favor)\p{L}{3,20}(?: \p{L}{3,20})?(?=\s*(?:$|[\n.;!?])))?)`,
  "iu",
);

/** Whether words in lower case can only be an address: a number at the end or before a comma, or a postcode. */
const isStreet = (value: string): boolean =>
  !NOT_NUMBER_AFTER.test(value.replace(/^\d+/, "")) &&
  !/(?<!\p{L})(?:at|with|con|med|mit|avec|com|há|and|und|food|which|que|och|naar|para|nach|till|pour|sitio|zu)(?!\p{L})/u.test(
    value,
  ) &&
  (/\d{4}|\d[a-z]{2}$|\p{L} \d{1,4}[a-z]?(?:[/-]\d+)?(?:,|$| (?:in|à|en|em|w|i|te) )/u.test(
    value,
  ) ||
    /(?:mah|sk|sok|cad)\. .*\d/u.test(value) ||
    new RegExp(String.raw`^\d{1,4}[a-z]? (?:\p{L}+ ){1,3}(?:${WORDS_OF_STREETS})$`, "u").test(
      value,
    ));

/** Japan: a prefecture and numbers of blocks, after an optional postcode. */
const KANJI = String.raw`\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー々ケヶ`;
const PREFECTURE = String.raw`(?:東京都|北海道|(?:京都|大阪)府|\p{Script=Han}{2,3}県)`;
const JAPANESE_BUILDING = String.raw`(?:[ 　\n]{1,2}[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ーA-Za-z]{2,20}?[ 　]?[0-9０-９]{1,4}(?:号室?|室|階|F)?|[ 　\n]{0,2}[\p{Script=Han}\p{Script=Katakana}ーA-Za-z]{1,20}?(?:ビル|マンション|ハイツ|荘|コーポ|タワー|ハウス|レジデンス|アパート|寮|邸)(?:[ 　]?[0-9０-９]{1,4}(?:号室?|室|階|F)?)?|[\p{Script=Katakana}ー]{2,20}[ 　]?[0-9０-９]{1,4}(?:号室?|室)?)?`;
const BLOCKS = String.raw`(?:[0-9０-９]|[一二三四五六七八九十]{1,3}丁目)[0-9０-９丁目番地号の条東西南北\-−－ー‐]{0,20}`;
const JAPANESE = new RegExp(
  String.raw`(?:〒? ?\d{3}-\d{4}[ 　\n]{0,2})?(?:${PREFECTURE}|(?<![\p{Script=Han}\p{Script=Katakana}ー])\p{Script=Han}{1,5}[市区郡](?!民))[${KANJI}]{1,30}?${BLOCKS}(?<=[0-9０-９目番地号])(?![0-9０-９個円時分人名日月年階本枚つ点回台泊度])${JAPANESE_BUILDING}|` +
    // Kyoto names streets instead of blocks.
    String.raw`〒? ?\d{3}-\d{4}[ 　\n]{0,2}(?:${PREFECTURE}|\p{Script=Han}{1,5}[市区郡])[${KANJI}]{2,30}${JAPANESE_BUILDING}`,
  "gu",
);
/** A form that separates the prefecture from the rest. */
const JAPANESE_FIELD =
  /(?:都道府県|市区?町?村?(?:番地)?|市町村番地|番地|建物名?|町名|郵便番号)\s?[:：]\s?/u;

const LONGEST = 200;

const unannounced = ([pattern, needs]: (typeof STARTS)[number]): DetectionRule => ({
  type: "ADDRESS",
  pattern: new RegExp(pattern, "gu"),
  locate: (text, { 0: match, index }) => {
    const rest = text.slice(index, index + match.length + LONGEST);
    if (!needs.test(rest.slice(match.length))) return null;
    const end = addressEnd(rest, match.length);
    // "Bitte Berliner Straße 12": the first word begins the sentence.
    const first = /^\p{Lu}\p{L}+ (?=\p{Lu})/u.exec(match)?.[0] ?? "";
    const start = isNotName(first.trim()) ? first.length : 0;
    const isBare = start > 0 && /^(?:Stra(?:ß|ss)e|Str\.|Allee|Gasse)/u.test(match.slice(start));
    if (end < match.length || isBare) return null;
    return [start > 0 ? index + start : startOfAddress(text, index), index + end];
  },
});

/** `Am Markt 3` after "ich wohne": the first word is not of the introduction. */
const withCapital = (rule: DetectionRule): DetectionRule => ({
  ...rule,
  locate: (text, match) => {
    const found = rule.locate(text, match);
    const end = match.index + match[0].length;
    const first = /(?<!\p{L})(?:Am|An|Im|In|Auf|Zum|Zur|Het|De)(?: de[rmn])? $/u.exec(
      match[0],
    )?.[0];
    return found?.[0] === end && first !== undefined ? [end - first.length, found[1]] : found;
  },
});

/** With a building or a flat before the street, and with what follows the postcode. */
const fromBuilding = (rule: DetectionRule): DetectionRule => ({
  ...rule,
  locate: (text, match) => {
    const found = rule.locate(text, match);
    return found && [startOfAddress(text, found[0]), found[1]];
  },
});

/** Addresses that are introduced, and streets with a number. */
export const ADDRESS_RULES: readonly DetectionRule[] = [
  withCapital(
    introduced("ADDRESS", new RegExp(ANNOUNCED, "iu"), (rest): Span | null => {
      const end = addressEnd(rest, 0);
      // "Store 5": one number and one word that is no street is no address.
      if (IS_SPECIFIC.test(rest.slice(0, end))) return [0, end];
      const lower = /^\p{Lu}/u.test(rest) ? null : valueAtEnd(LOWER_CASE, rest);
      return lower !== null && isStreet(rest.slice(...lower)) ? lower : null;
    }),
  ),
  ...POSTAL_ADDRESS_RULES.map(fromBuilding),
  introduced("ADDRESS", LABEL, (rest) => valueAtEnd(AFTER_LABEL, rest)),
  // A city or a postcode on the line after another part of the address.
  introduced(
    "ADDRESS",
    /^\n[ \t]{0,3}(?:ort|stadt|city|town|ville|ciudad|localidad|población|municipio|provincia|città|comune|cidade|localidade|woonplaats|plaats|stad|miasto|miejscowość|postort|ilçe(?:\/il)?|il(?:\/ilçe|çe\/il)?|county|state|region|bundesland|kod|post ?code|zip(?: code)?|postal code|eircode|plz|cp|cap|cep)[ \t]?[:=][ \t]{0,3}/iu,
    (rest) => valueAtEnd(/^(?<value>(?=\p{Lu}|\d)[^\n:;|]{3,40})(?=\n|$)/u, rest),
  ),
  ...STARTS.map(unannounced),
  {
    type: "ADDRESS",
    pattern: JAPANESE,
    locate: (_, { 0: match, index }) => [index, index + match.length],
  },
  introduced("ADDRESS", JAPANESE_FIELD, (rest) =>
    valueAtEnd(/^(?<value>[^\n、。:：]{2,40})(?=\n|$|、)/u, rest),
  ),
  introduced(
    "ADDRESS",
    /(?:住所|お届け先|送り先|送付先|配送先|届け先|場所|自宅|実家|勤務先)[はがも]?\s?[:：]?\s?/u,
    (rest) =>
      valueAtEnd(
        /^(?<value>[〒\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー\d０-９－\-− ]{4,60}?[\d０-９号室])(?![\d０-９丁番号-])/u,
        rest,
      ),
  ),
];
