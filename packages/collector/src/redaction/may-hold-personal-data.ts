/** Letters in lower case after at most one capital, spaces, and ends of sentences. No built-in rule changes more. */
const PLAIN = /^\p{Lu}?(?:[\p{Ll} ]|[,.!?](?= |$))*$/u;
/** Words before a name, a password or an address in lower case, and a token that is long enough for a passphrase. */
const INTRODUCTION =
  /name|called|hei(?:ß|ss)|llam|chiam|cham|nom|apell?|naam|heet|nazyw|nazwisk|imi|heter|namn|adım|smim|soyad|zwę|pass|kenn|mot de|mdp|clave|contra|senha|palavra|wacht|has[lł]|l[oö]sen|[sş]ifre|parola|speak|talking|writing|chatting|corresp|line|signed|call|spricht|schreib|meldet|apparat|habla|saluda|escrib|atiende|aqu|parl|scriv|fala|mówi|strony|(?:^| )(?:i?m|am|bin|bins|soy|sono|sou|suis|ben|met|jestem|tu|är|moi|lg|mfg|vg|mvg|mvh|gr|xx|p?ww?d?|dot|punkt|point|punto|ponto|punt|kropka|nokta|prick)(?: |,|$)|[^ ]{18}/iu;

/** Whether the built-in rules could change a text. `false` is certain. */
export const mayHoldPersonalData = (text: string): boolean =>
  !PLAIN.test(text) || INTRODUCTION.test(text);
