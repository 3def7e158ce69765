/** Sentences that ask for a thumb, and sentences that refuse, by rules for the panel's languages: English, German, French. */

const WORD_START = String.raw`(?<![\p{L}])`;
const WORD_END = String.raw`(?![\p{L}])`;

function anyOf(...patterns: readonly string[]): RegExp {
  return new RegExp(`${WORD_START}(?:${patterns.join("|")})${WORD_END}`, "iu");
}

const BEGGING = anyOf(
  // English
  "thumbs?[- ]?up",
  "(?:press|click|tap|hit) (?:on )?(?:the |a )?(?:thumb|like)",
  "(?:please )?rate (?:me|my|this (?:answer|reply|chat)|the (?:answer|assistant))",
  "(?:give|leave) (?:me |us )?(?:a |an |some )?(?:good |nice |positive )?(?:thumb|like|rating|feedback|5 stars|five stars)",
  "(?:5|five) stars (?:for me|please)",
  // German
  "daumen (?:hoch|nach oben)",
  "(?:drück|drücke|drücken sie|klick|klicke|klicken sie) (?:bitte )?(?:auf )?(?:den )?daumen",
  "(?:bewerte|bewerten sie) (?:mich|diese antwort|meine antwort)",
  "(?:gib|geben sie) (?:mir|uns) (?:bitte )?(?:einen daumen|eine (?:gute )?bewertung|(?:5|fünf) sterne)",
  // French
  "pouces? (?:en l['’]air|levés?|vers le haut)",
  "(?:cliquez|clique|appuyez) sur le pouce",
  "(?:notez|note|évaluez|évalue)(?:-moi| moi| ma réponse| cette réponse)",
  "(?:laissez|laisse|donnez|donne)(?:-moi|-nous)? (?:un avis|une (?:bonne )?note|(?:5|cinq) étoiles)",
);

const REFUSING = anyOf(
  // English
  "i (?:can't|can’t|cannot|can not|won't|won’t|am unable to|am not able to)",
  "i(?:'m|’m) (?:unable to|not able to|afraid i)",
  "i (?:do not|don't|don’t) know",
  "(?:sorry|unfortunately),? (?:but )?(?:i|that) (?:can't|can’t|cannot|is not possible|isn't possible)",
  // German
  "(?:das )?kann ich (?:dir |ihnen |das |hier )?(?:leider )?nicht",
  "ich kann (?:[\\p{L}]+ ){0,3}nicht",
  "(?:das )?weiß ich (?:leider )?nicht|ich weiß (?:es |das )?(?:leider )?nicht",
  "das ist (?:mir )?(?:leider )?nicht möglich",
  // French
  "je ne (?:peux|sais) pas",
  "je n['’]y arrive pas|(?:ce n['’]est|c['’]est) (?:pas |im)possible",
  "je ne suis pas en mesure",
);

/** Whether an answer asks the visitor for a thumb or a rating. */
export function asksForThumb(answer: string): boolean {
  return BEGGING.test(answer);
}

/** Whether an answer says that the assistant cannot do what was asked. */
export function saysNo(answer: string): boolean {
  return REFUSING.test(answer);
}
