import { introduced, valueAtEnd, whole } from "./rule.ts";
import type { DetectionRule } from "./rule.ts";
import { words } from "./surroundings.ts";

const ANNOUNCED = words(
  "(?:pass(?:word|wd|code|phrase|wort)?|pwd|pw|pin(?:[ -]?code|-?nummer|[ -]?kod\\p{L}*)?|kennwort|mot de passe|mdp|code secret|contrase[nñ]a|clave|" +
    "password|parola d['’]ordine|senha|palavra[ -]passe|wachtwoord|pincode|has[lł]\\p{L}{1,3}|l[oö]sen(?:ord\\p{L}*)?|(?:zugangs|sicherheits|tür)-?code|(?:security|access|door|unlock|gate|alarm|entry) code|code d['’]accès|c[óo]d(?:igo|ice) (?:de|di) (?:acc?eso|acesso|seguridad|segurança|sicurezza)|toegangscode|kod dostępu|portkod\\p{L}{0,2}|şifre\\p{L}*|sifre\\p{L}*|parola\\p{L}*|" +
    "ww(?=[ :=])|wi-?fi[- ]?(?:code|key|schlüssel|sleutel|nyckel)|(?:code|clé|clave|chiave|codice|código|kod|kode|key|schlüssel) (?:du |de la |del |della |do |da |van de |till |for the )?wi-?fi|wlan-(?:code|schlüssel)|netzwerkschlüssel|geheimzahl|geheimnummer|code confidentiel|digicode|codice segreto|código secreto|kod do \\p{L}{3,12}|kapı kodu|giriş kodu|" +
    "パスワード|暗証番号|パス(?=[ 　:：]))",
  "",
);

const WORD_OF_PASSWORD = words(
  "pass(?:word|wd|phrase|wort)|pwd|pw|kennwort|(?:wlan-|wifi-)?passwort|mot de passe|mdp|contrase[nñ]a|clave|senha|palavra[ -]passe|wachtwoord|ww|has[lł]o|l[oö]sen(?:ord(?:et)?)?|şifre\\p{L}{0,2}|parola\\p{L}{0,2}",
  "",
);

/** `: `, ` = `, ` is ` and the like, after up to five other words, as in "password for the account is …". */
const CONNECTION =
  /^(?:(?:(?:\s\p{L}[\p{L}'’.-]{0,20}){0,6}?),?\s(?:is|was|était|było|var|lautet|heißt|c['’]est|set to|ist|war|est|era|es|è|é|jest|to|brzmi|är|(?:should|used to|must|has to) be|(?:is|was) (?:still|now|simply|just)|(?:ist|war) (?:noch|jetzt|immer noch|einfach)|(?:est|était) toujours|(?:devait|doit) être|(?:debe|debía|tiene que) ser|sigue siendo|(?:deve|dovrebbe) essere|(?:deve|devia) ser|(?:moet|zou) (?:\p{L}{4} )?zijn|(?:miało|powinno) być|(?:ska|skulle|borde) vara|hette|hieß|hei(?:ss)t|:)(?!\p{L})|(?:\s\p{L}{1,20}){0,2}["']?\s?[:：=はをが]|['’]s(?=\s)|[はがを](?=[!-~「『])|(?=\s\S{0,40}\d))\s{0,3}[:：]?\s?(?:(?:le|el|il|lo|o|der|die|das|den|de|het)\s(?=\S{0,12}\d))?/iu;

const QUOTED = /^(["'`“„«「『‚‹])([^\n"'`”“»」』‘›]{4,64})["'`”“»」』‘›]/u;
/** Words joined by dots or hyphens, such as `blue.horse`, alone after a label such as `Password:`. */
const JOINED =
  /^(?!(?:case|non|two|multi|auto|re|pre|self|not|user|server|one|all|un|e|read|write)-)\p{L}{2,}(?:[._+-]\p{L}+){1,5}(?=["'”»」]?[.,;]?\s*(?:$|\n))/iu;
const TOKEN =
  /^(?:[!-~]{4,64}(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])|[^\s"'`“”„«»「」、。]{4,64})/u;

/** A digit, a symbol or a capital within: no word of a sentence. */
function looksChosen(token: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(token)) return false;
  const hasDigitOrSymbol = /\d|[^\p{L}\p{N}.,'’\-/:]/u.test(token.replace(/[!?]+$/, ""));
  return (
    hasDigitOrSymbol ||
    /\p{Ll}\p{Lu}/u.test(token) ||
    /^(?:[^-.,/:]{18,}|\p{L}+(?:-\p{L}+){3,})$/u.test(token)
  );
}

/** Words after "the password is" that say something about it, and their endings. */
const SAYS_STATE = new RegExp(
  "^(?:" +
    "the|a|an|too|so|my|your|his|her|its|our|their|this|that|it|what|where|when|why|who|how|for|from|to|at|by|about|only|very|still|now|always|never|also|even|all|any|not|no|yes|none|same|different|wrong|right|weak|strong|short|long|old|new|fine|good|bad|safe|secure|unsafe|correct|incorrect|missing|empty|blank|unknown|here|there|gone|down|broken|hidden|private|secret|case|mandatory|important|easy|hard|difficult|hello|please|thanks|help|reset|change|okay|lost|sent|kept|shown|stolen|forgotten|written|longer|between|under|over|with|without|like|just|again|back|field|manager|page|link|email|working|taken|gibberish|rubbish|nonsense|automatic|temporary|ignored|" +
    "falsch|richtig|weg|neu|alt|kurz|lang|schwach|stark|sicher|unsicher|leer|geheim|unbekannt|nicht|noch|nur|auch|schon|immer|nie|wohl|jetzt|hier|dort|mir|dir|ihm|mein|dein|sein|unser|eine?[mnrs]?|kein|mindestens|zwingend|pflicht|optional|abgelaufen|vergessen|verloren|bekannt|gleich|korrekt|ungültig|gültig|notwendig|doch|leider|nun|wieder|anders|wichtig|einfach|schwer|doof|weiterhin|" +
    "trop|pas|plus|faux|incorrect|correct|bon|mauvais|nouveau|ancien|vide|inconnu|mon|ton|son|votre|notre|une?|les?|des?|dans|sur|pour|par|avec|sans|encore|toujours|jamais|déjà|bien|mal|court|long|faible|fort|sûr|invalide|valide|perdu|requis|obligatoire|facile|difficile|celui|quoi|juste|même|normal|refusé|expiré|" +
    "muy|no|mal|bien|demasiado|correct[oa]|incorrect[oa]|nuev[oa]|viej[oa]|vací[oa]|mi|tu|su|una?|los|las|para|por|con|sin|en|siempre|nunca|todavía|aún|cort[oa]|larg[oa]|débil|segur[oa]|inválid[oa]|válid[oa]|obligatori[oa]|fácil|difícil|igual|distint[oa]|otr[oa]|mism[oa]|demasiado|errónea|erróneo|algo|imposible|necesari[oa]|que|cuál|paciencia|" +
    "troppo|non|sbagliat[oa]|errat[oa]|corrett[oa]|nuov[oa]|vecchi[oa]|vuot[oa]|mi[oa]|tu[oa]|su[oa]|una?|gli|per|con|senza|sempre|mai|ancora|già|cort[oa]|lung[oa]|debole|forte|sicur[oa]|scadut[oa]|pers[oa]|obbligatori[oa]|facile|difficile|ugual[e]|divers[oa]|stessa|giust[oa]|molto|quell[oa]|valida?|nota|" +
    "muito|não|errad[oa]|cert[oa]|corret[oa]|nov[oa]|velh[oa]|vazi[oa]|meu|minha|uma?|para|por|com|sem|sempre|nunca|ainda|já|curt[oa]|long[oa]|fraca?|forte|segur[oa]|inválid[oa]|válid[oa]|obrigatóri[oa]|fácil|difícil|igual|diferente|mesm[oa]|outr[oa]|aquela|necessári[oa]|que|qual|antiga?|" +
    "te|niet|fout|verkeerd|goed|juist|nieuw|oud|kort|lang|zwak|sterk|veilig|onveilig|leeg|geheim|onbekend|mijn|jouw|zijn|haar|een|geen|nog|ook|al|altijd|nooit|nu|hier|weg|kwijt|verlopen|vergeten|verplicht|onjuist|ongeldig|geldig|makkelijk|moeilijk|hetzelfde|anders|steeds|wel|weer|minstens|bekend|" +
    "zbyt|nie|złe|błędne|dobre|nowe|stare|krótkie|długie|słabe|silne|bezpieczne|puste|nieznane|moje|twoje|jego|jeszcze|już|zawsze|nigdy|tylko|tutaj|inne|takie|samo|za|coś|poprawne|niepoprawne|nieprawidłowe|wymagane|obowiązkowe|łatwe|trudne|nadal|ważne|tajne|wygasłe|prawidłowe|" +
    "för|inte|fel|rätt|nytt|gammalt|kort|långt|svagt|starkt|säkert|tomt|hemligt|okänt|mitt|ditt|ett|inget|ännu|redan|alltid|aldrig|bara|här|borta|samma|annat|lätt|svårt|obligatoriskt|ogiltigt|giltigt|fortfarande|också|väldigt|bra|dåligt|känt|" +
    "çok|yanlış|doğru|yeni|eski|kısa|uzun|zayıf|güçlü|güvenli|boş|benim|bir|değil|hâlâ|hala|artık|hep|hiç|burada|aynı|farklı|gerekli|zorunlu|geçersiz|geçerli|kolay|zor|nedir|var|yok|için|olarak|ile|gibi|daha|kabul|çalışmıyor|olmalı|en" +
    ")$|^(?:case|non|two|multi|auto|re|pre|self|not)-|(?:(?<!s)ed|ing|able|ible|iert|gesetzt|ändert|bar|lich|ée?s?|[ai]d[oa]|[aiu]t[oa]|los|erend|ane|one|ny|ade|ats|mış|miş|muş|müş|yor|medi|madı)$",
  "iu",
);

/** The length of one word that ends its clause and says nothing about the password: `gelato`. 0 is never returned. */
function chosenWord(value: string): number | null {
  const match =
    /^[*_]{0,2}(?<word>\p{L}{4,24}(?:[.&_+-]\p{L}{2,24}){0,4})[*_]{0,2}(?=[.,;!)]?\s*(?:$|\n)|[,;)] |[.!] \p{Lu}| (?:and|und|et|y|e|en|i|och|ve|but|aber|mais|pero|ma|mas|maar|ale|men|ama|all|alles|tout|todo|tutto|lower|with|ohne|sans|sin|benim)(?!\p{L}))/u.exec(
      value,
    );
  const word = match?.groups?.["word"];
  return word === undefined || SAYS_STATE.test(word) || !/^\p{Ll}|[.&_+-]/u.test(word)
    ? null
    : word.length;
}

/** A small letter, a digit, and a capital or a symbol within: no model of a phone such as `iPhone-15`. */
const looksMixed = (token: string): boolean =>
  token.length >= 6 &&
  /\p{Ll}/u.test(token) &&
  /\d/.test(token) &&
  /(?!^)\p{Lu}|(?<=.)[^\p{L}\p{N}](?=.)/u.test(token) &&
  !/^(?:(?:i?\p{Lu}\p{L}+|\p{Ll}+|\p{Ll}\p{Lu}\p{L}+)[.-]?\d{1,2}|\p{L}{1,4}[.-]?\d+\p{L}{0,2}|\d.*|.*\.\p{L}{2,4})$/u.test(
    token.replace(/[.,;:!?)]+$/, ""),
  );

const STRONG_TOKEN = String.raw`["'“„«「]?(?<value>(?=\S*\d)[^\s"'“”„«»「」、。@\[\]()<>]{5,63}[^\s"'“”„«»「」、。@\[\]()<>.,;:!?])`;
const LATER = new RegExp(
  String.raw`^(?:[,;:]?\s\p{L}[\p{L}'’]{0,20}){0,5}?[,;:]?\s${STRONG_TOKEN}`,
  "u",
);
const USED = new RegExp(
  String.raw`^[^\n]{0,30}?(?:use[ds]?|using|benutz\p{L}*|verwend\p{L}*|utilis\p{L}*|j['’]avais|us(?:o|avo|aba|ava|é|ei|amos)|ho usato|gebruik\p{L}*|używa\p{L}*|miał[ae]m|använ[dt]\p{L}*|hade|kullan\p{L}*)(?: \p{L}{2,12}){0,2} ${STRONG_TOKEN}`,
  "iu",
);
const ACCOUNT = words(
  "accounts?|profil\\p{L}{0,3}|kont[oa]\\p{L}{0,2}|cuenta|conta|compte|hesab\\p{L}*|hacked|gehackt|alarm\\p{L}{0,2}|larm\\p{L}{0,2}|router|wi-?fi|wlan",
);
const NAMED_AFTERWARDS =
  String.raw`(?<![^\s"'“„«「])[^\s"'“”„«»「」、。]{4,64}(?=["'”»“」]? (?:as|als|comme|como|come|jako|som|olarak|(?:is|was|ist|war|est|était|es|era|è|é|to|było|är|var) (?:my|mein|mon|mi|la mia|a minha|minha|mijn|moje|mitt)) (?:\p{L}{1,12} ){0,2}?` +
  "(?:password|passwor[td]|passcode|pin|kennwort|mot de passe|mdp|contrase[nñ]a|clave|senha|palavra-passe|wachtwoord|has[lł]o|l[oö]senord|şifre|parola))|" +
  String.raw`(?<![!-~])[!-~]{4,64}(?=[」』"]?を?(?:パスワード|暗証番号)に)`;

const GENERATED = String.raw`(?=\S{0,63}\d)[^\s"'“”„«»「」、。@/\[\]()<>=]{5,63}[^\s"'“”„«»「」、。@/\[\]()<>=.,;:!?]`;
/** Words of messages about access. */
const TOPIC = words(
  "pass(?:word|wd|code|phrase|wort|e)?s?|pwd|pw|kennwort|mot de passe|mdp|contrase[nñ]as?|clave|senhas?|palavra-passe|antiga|wachtwoord\\p{L}*|ww|has[lł]\\p{L}{1,3}|l[oö]sen\\p{L}*|şifre\\p{L}*|parola\\p{L}*|wi-?fi\\p{L}{0,2}|wlan|alarm\\p{L}{0,3}|larm\\p{L}{0,2}|safe|tresor|coffre|caja fuerte|cassaforte|cofre|kluis|sejf\\p{L}{0,2}|kassaskåp\\p{L}{0,2}|kasa|log(?:in|ged in|ge)|acceso|accès|accesso|acesso|cuenta|conta|パスワード",
);
const IS_TOPIC = new RegExp(TOPIC, "iu");
const NEAR = new RegExp(String.raw`^[^\n]{0,70}?(?<=[\s"'“„«「(])(?<value>${GENERATED})`, "u");

/** Passwords in URLs and after words that announce them. */
export const PASSWORD_RULES: readonly DetectionRule[] = [
  introduced("PASSWORD", /[a-z]\w{1,11}:\/\/[^\s/:@]{1,64}:/iu, (rest) => {
    const match = /^[^\s/@]{1,64}(?=@)/u.exec(rest);
    return match && [0, match[0].length];
  }),
  introduced("PASSWORD", new RegExp(ANNOUNCED, "iu"), (rest) => {
    const connection = CONNECTION.exec(rest);
    if (connection === null) return null;
    const start = connection[0].length;
    const value = rest.slice(start);
    const quoted = QUOTED.exec(value);
    if (quoted) return [start + 1, start + quoted[0].length - 1];
    const joined = /[:：=]\s*$/u.test(connection[0]) ? JOINED.exec(value) : null;
    if (joined) return [start, start + joined[0].length];
    const token = TOKEN.exec(value)?.[0].replace(/[.,;:)\]}]+$/u, "");
    if (token === undefined || token.length < 4 || /^\[\p{Lu}+_\d+$/u.test(token)) return null;
    return looksChosen(token) ? [start, start + token.length] : null;
  }),
  // One word, after words that mean nothing else: no pin of a plug, no code of a product.
  introduced("PASSWORD", new RegExp(WORD_OF_PASSWORD, "iu"), (rest) => {
    const connection = CONNECTION.exec(rest)?.[0];
    if (connection === undefined || connection.length > 40) return null;
    const length = chosenWord(rest.slice(connection.length));
    return length === null ? null : [connection.length, connection.length + length];
  }),
  // "alice@example.org / Tulip!Noon4", "I log in with alice@example.org and Rain_77x"
  introduced(
    "PASSWORD",
    /(?<!\p{L})(?:log(?:in|ged|ge|ging|ga|gar)?|sign(?:ed)? in|user(?:name)?|acc?ount|konto|melde|accedo|entro|connecte|identifiant|usuario|utente|giriş|giriyorum|loguję|ww|creds?|credentials)(?!\p{L})[^\n]{0,40}?[^\s@]{1,64}@[^\s@,;]{3,64}(?:,? (?:and|und|et|y|e|en|i|och|ve|with|mit|avec|con|com|met|z|med|ile|pw|ww|mdp|pass) | ?[/|,;:] ?)/iu,
    (rest) => {
      const token = TOKEN.exec(rest)?.[0].replace(/[.,;:)\]}]+$/u, "") ?? "";
      return token.length >= 6 && looksChosen(token) && !token.includes("@")
        ? [0, token.length]
        : null;
    },
  ),
  // "changed it to hunter_7788 but the password is refused": a generated token near a word for passwords
  introduced("PASSWORD", new RegExp(TOPIC, "iu"), (rest) => {
    const found = valueAtEnd(NEAR, rest);
    return found !== null && looksMixed(rest.slice(...found)) ? found : null;
  }),
  {
    type: "PASSWORD",
    pattern: new RegExp(String.raw`(?<![^\s"'“„«「(])${GENERATED}`, "gu"),
    locate: (text, { 0: match, index }) => {
      const end = index + match.length;
      return looksMixed(match) && IS_TOPIC.test(text.slice(end, end + 80)) ? [index, end] : null;
    },
  },
  // "the password that you sent, Xk7-pQ2m, expired"
  introduced("PASSWORD", new RegExp(ANNOUNCED, "iu"), (rest) => {
    const found = valueAtEnd(LATER, rest);
    return found !== null && looksMixed(rest.slice(...found)) ? found : null;
  }),
  // "somebody is in my account, I used summerIn77 everywhere"
  introduced("PASSWORD", new RegExp(ACCOUNT, "iu"), (rest) => {
    const found = valueAtEnd(USED, rest);
    return found !== null && looksMixed(rest.slice(...found)) ? found : null;
  }),
  // "I chose Blue-Horse-77 as the new password"
  whole("PASSWORD", new RegExp(NAMED_AFTERWARDS, "iu"), looksChosen),
  introduced(
    "PASSWORD",
    /(?<!\S)(?:login|sshpass|mysql|mysqldump|psql)(?!\S)[^\n]{0,60}? (?:--password|--pass|-p)[ =]?|(?<!\S)-u [^\s:]{1,40}:/u,
    (rest) => {
      const token = /^[^\s"']{4,64}/u.exec(rest)?.[0] ?? "";
      return /\p{L}/u.test(token) && looksChosen(token) ? [0, token.length] : null;
    },
  ),
];
