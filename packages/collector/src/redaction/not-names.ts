/** Words with a capital letter that are no part of a person's name or of an address, in lower case. */
const NOT_NAMES = new Set(
  // Greetings, thanks and first words of sentences.
  (
    "please bitte thanks thank danke merci gracias grazie obrigado obrigada bedankt dank dziękuję dzięki tack teşekkürler lütfen " +
    "hi hello hey hallo hola ciao bonjour dear this that these those the my our your his her it it's we you he she they what when " +
    "where why how who which can could do does did will would should is are was not no yes and or but if so as at on in for from to of " +
    "with about also maybe sorry just here there there's let's now then today tomorrow yesterday soon asap regards best kind sincerely " +
    "ich sie wir das die der ein eine mein meine ist und oder aber auch nicht nur wann wo wie was warum wer heute morgen kein keine " +
    "je vous nous il elle le la les un une mon ma mes est et ou mais pas quand comment pourquoi demain el los las mi su es y pero no " +
    "cuando como por quiero io lei lo gli mio mia è e ma non quando come domani eu você o os meu minha mas não quando como amanhã ik u " +
    "wij het een mijn is en maar niet wanneer hoe morgen ja pan pani to jest nie kiedy jak jutro jag du det den min är och men inte när hur " +
    "imorgon ben sen siz biz bu bir ve ama değil yarın " +
    // Parts of letters, forms and pages that sell.
    "ihr ihre votre notre su vostro vostra uw ons twój din vår neu hier problem department sales accounting " +
    "team support service customer customers sir sirs madam everyone all user member admin account order orders card name number code " +
    "kunde kunden kundin damen herren zusammen bestellung konto rechnung lieferung programm client commande compte cliente clientes " +
    "pedido cuenta conto ordine conta klant bestelling klient zamówienie kund beställning müşteri sipariş " +
    "email e-mail mail tel telefon telefono teléfono téléphone telefone telefoon phone mobile mobil handy fax iban address adresse " +
    "dirección indirizzo endereço adres adress anschrift date datum birthday password passwort " +
    // Days, months and currencies.
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag " +
    "january february march april may june july august september october november december januar februar märz mai juni juli " +
    "oktober dezember eur usd gbp euro euros pln sek tl kg " +
    // Nationalities and roles after "I am".
    "german english british american french spanish italian dutch polish swedish turkish canadian russian indian chinese japanese korean irish " +
    "scottish welsh swiss austrian belgian danish norwegian finnish greek portuguese brazilian mexican australian ukrainian european " +
    "asian catholic jewish muslim vegan vegetarian student premium new happy " +
    "interested looking sure allergic unable " +
    // Things with a title.
    "one two three four five six şirket müdür firma christmas weihnachten hanım bey rezervasyon reservation reservierung reserva réservation prenotazione rezerwacja bokning buchung cita termin " +
    "summer winter sale actually martens pepper oetker coffee who clean hauschka bean"
  ).split(" "),
);

/** Whether a word cannot be part of a name or address, also with a capital letter. */
export const isNotName = (word: string): boolean => NOT_NAMES.has(word.toLowerCase());
