/** Letters in lower case after at most one capital, spaces, and ends of sentences. No built-in rule changes more. */
const PLAIN = /^\p{Lu}?(?:[\p{Ll} ]|[,.!?](?= |$))*$/u;
/** Words before a name or a passphrase in lower case, and a token that is long enough for a passphrase. */
const INTRODUCTION =
  /name|called|hei(?:ß|ss)|llam|chiam|cham|nom|apell|naam|heet|nazyw|nazwisk|imi|heter|namn|adım|smim|soyad|[^ ]{18}/iu;

/** Whether the built-in rules could change a text. `false` is certain. */
export const mayHoldPersonalData = (text: string): boolean =>
  !PLAIN.test(text) || INTRODUCTION.test(text);
