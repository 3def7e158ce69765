/** The texts in German. */
import { sizeIn } from "../element/size-text.ts";
import type { Language } from "./language.ts";

/** German. */
export const GERMAN: Language = {
  code: "de",
  agent: {
    unreadable:
      "Das konnte ich leider nicht beantworten. Bitte versuchen Sie es noch einmal oder mit anderen Worten.",
    silenced: "Der Assistent ist zurzeit abgeschaltet. Bitte versuchen Sie es später noch einmal.",
    unsure: (label) => `Meinen Sie das so? ${label}`,
    failed: (code) => FAILURES[code] ?? "Der Assistent kann nicht antworten.",
  },
  panel: {
    language: "de",
    title: "Assistent",
    greeting: "Fragen Sie etwas zu dieser Seite. Das Modell läuft hier in Ihrem Browser.",
    untrained:
      "Dieser Assistent hat auf dieser Website noch nicht geübt. Er kann die Werkzeuge der Seite benutzen und macht dabei oft Fehler.",
    placeholder: "Schreiben Sie eine Anfrage",
    request: "Anfrage",
    conversation: "Unterhaltung",
    visitor: "Sie:",
    assistant: "Assistent:",
    send: "Senden",
    stop: "Anhalten",
    tryAgain: "Noch einmal",
    newConversation: "Neue Unterhaltung",
    open: "Den Assistenten fragen",
    close: "Assistenten schließen",

    loading: "Modell wird geladen",
    starting: "startet",
    beingPrepared: "wird von der Website vorbereitet",
    ready: "bereit",
    readyUntrained: "bereit, noch nicht trainiert",
    readyOffline: "bereit, offline",
    working: "arbeitet",
    held: "Die Anfrage wird gesendet, sobald der Assistent bereit ist.",
    switchedOff: "abgeschaltet",
    notAvailable: "nicht verfügbar",
    size: sizeIn("de"),
    loaded: (loaded, total) => `${loaded} von ${total}`,
    olderPolicy:
      "Die neueste Version des Assistenten ließ sich nicht laden. Vorerst antwortet eine ältere.",
    offline:
      "Sie sind offline. Der Assistent funktioniert trotzdem. Daten, denen Sie zugestimmt haben, werden später gesendet.",

    consentTitle: "Darf diese Website aufbewahren, was der Assistent für Sie tut?",
    consentBody:
      "Wenn Sie zustimmen, werden Ihre Anfragen, die Antworten und die benutzten Werkzeuge an diese Website gesendet und dort aufbewahrt. Der Assistent lernt heute nicht daraus: Er lernt nur aus Übungsaufgaben, die simulierte Besucher bearbeiten. Namen, Adressen, E-Mail-Adressen, Passwörter, Schlüssel, Telefon-, Karten- und Kontonummern und amtliche Kennnummern werden vorher ersetzt, soweit sie erkannt werden. Sie können alles Gesendete ansehen, jederzeit widerrufen und alles löschen lassen. Wenn Sie ablehnen, funktioniert der Assistent genauso.",
    consentMore: "Was wird aufbewahrt?",
    consentAccept: "Zustimmen",
    consentDecline: "Ablehnen",
    consentTrain: "Der Assistent darf daraus lernen.",
    consentFeedback: "Die Website darf verwenden, was ich über Antworten sage.",
    saveChoice: "Entscheidung speichern",

    toolRunning: "läuft",
    toolDone: "erledigt",
    toolFailed: "fehlgeschlagen",
    allow: "Erlauben",
    dontAllow: "Nicht erlauben",

    stopped: "Angehalten.",
    tooLong: "Vorzeitig beendet: Die Antwort wurde zu lang.",
    toolsFailed: "Vorzeitig beendet: Ein Werkzeug ist zu oft fehlgeschlagen.",
    tookTooLong: "Vorzeitig beendet: Es hat zu lange gedauert.",
    repeated:
      "Vorzeitig beendet: Der Assistent hat denselben Schritt ohne neues Ergebnis wiederholt. Bitte versuchen Sie es mit anderen Worten.",
    repeatedUntrained:
      "Vorzeitig beendet: Der Assistent hat denselben Schritt ohne neues Ergebnis wiederholt. Er hat auf dieser Website noch nicht geübt.",

    goodAnswer: "Gute Antwort",
    badAnswer: "Schlechte Antwort",
    thanks: "Danke. Die Website erhält dies zusammen mit der Antwort.",
    thanksNotShared:
      "Hier vermerkt. Die Website erhält es nicht, weil Sie dem Senden nicht zugestimmt haben.",

    whatISent: "Was gesendet wurde",
    yourChoice: "Ihre Entscheidung",
    notAgreed:
      "Sie haben nicht zugestimmt. Außer Aufrufen der Werkzeuge dieser Website verlässt nichts diese Seite.",
    withdrawing:
      "Diese Website hat Ihren Widerruf noch nicht bestätigt. Bis dahin wird er erneut gesendet.",
    agreed: (when, version) =>
      `Sie haben am ${when} zugestimmt (Text ${version}). Ein Widerruf beendet das Senden und entfernt die Kennung dieses Browsers. Um bereits Gesendetes zu löschen, wählen Sie „Alles über mich löschen“, bevor Sie diese Seite verlassen.`,
    receipt: (when) =>
      `Diese Website hat Ihre Zustimmung am ${when} festgehalten. Der unterschriebene Beleg liegt in diesem Browser.`,
    noReceipt: "Diese Website hat Ihre Zustimmung noch nicht festgehalten.",
    withdraw: "Widerrufen",
    nothingCollected: "Es wurde nichts gesammelt.",
    collected: ({ sent, waiting, rejected, damaged }) =>
      `${sent} gesendet, ${waiting} wartend, ${rejected} nicht angenommen.` +
      (damaged === 0 ? "" : ` ${damaged} in diesem Browser beschädigt und entfernt.`),
    storageFull: "Der Speicher des Browsers ist voll. Neue Daten werden nicht aufbewahrt.",
    storageMissing: "Dieser Browser bewahrt für diese Seite keine Daten auf.",
    waiting: "Wartet",
    sent: "Gesendet",
    rejected: "Nicht angenommen",
    contentGone: "Der Inhalt wird in diesem Browser nicht mehr aufbewahrt.",
    notShown:
      "Dieser Eintrag kann gerade nicht gezeigt werden. Bitte versuchen Sie es noch einmal, wenn Sie online sind.",
    recordedAt: (when) => `Aufgezeichnet am ${when}.`,
    sentAt: (when) => `An diese Website gesendet am ${when}.`,
    notSentYet: "Noch nicht gesendet.",
    refused: (code) =>
      REFUSALS[code] ??
      "Diese Website hat es nicht angenommen. Bei der Website ist nichts davon gespeichert.",
    practiceTask: "Übungsaufgabe:",
    unreadable: "Der Assistent hat etwas geschrieben, das nicht lesbar ist.",
    toolGiven: "Dem Werkzeug übergeben",
    toolReturned: "Antwort des Werkzeugs",
    yes: "ja",
    no: "nein",
    nothing: "nichts",
    download: "Genau das Gesendete als Datei speichern",
    stored: ({ trajectories, feedback }) =>
      `Einträge bei dieser Website: ${trajectories}. Rückmeldungen: ${feedback}.`,
    storedUnknown:
      "Was diese Website speichert, lässt sich gerade nicht lesen. Bitte versuchen Sie es noch einmal, wenn Sie online sind.",
    saveStored: "Alles speichern, was diese Website über mich aufbewahrt",
    forgetMe: "Alles über mich löschen",
    forgetExplained:
      "Löscht die Daten, die diese Website über Sie hat, und alles, was der Assistent in diesem Browser aufbewahrt.",
    deleteEverything: "Alles löschen",
    keepIt: "Behalten",
    deleting: "Wird gelöscht.",
    deleted: (trajectories, versions) =>
      `${trajectories} ${trajectories === 1 ? "Eintrag" : "Einträge"} bei der Website und alles in diesem Browser gelöscht. ` +
      (versions.length === 0
        ? "Keine Version des Assistenten hat daraus gelernt."
        : `Versionen des Assistenten, die daraus gelernt haben: ${versions.join(", ")}.`),
    notDeleted:
      "Die Website war nicht erreichbar. Es wird nichts mehr gesendet. Bitte versuchen Sie es noch einmal, wenn Sie online sind.",
  },
};

const FAILURES: { readonly [code: string]: string } = {
  NETWORK: "Der Server des Assistenten ist nicht erreichbar.",
  BROWSER_UNSUPPORTED:
    "Dieser Browser oder diese Verbindung kann den Assistenten nicht ausführen. Aktuelle Versionen von Chrome, Edge und Firefox können es auf https-Seiten.",
  MODEL_TOO_LARGE: "Dieses Gerät hat zu wenig Speicher für den Assistenten.",
  OUT_OF_MEMORY:
    "Dieses Gerät hat zu wenig Speicher für den Assistenten. Bitte schließen Sie andere Seiten und versuchen Sie es noch einmal.",
  DEVICE_LOST: "Der Assistent wurde unterbrochen. Bitte versuchen Sie es noch einmal.",
  CONTEXT_OVERFLOW: "Die Unterhaltung ist zu lang geworden. Bitte beginnen Sie eine neue.",
};

const REFUSALS: { readonly [code: string]: string } = {
  CONSENT_MISSING:
    "Diese Website hat es nicht angenommen, weil Sie bei der Ankunft nicht zugestimmt hatten.",
  PAYLOAD_TOO_LARGE: "Diese Website hat es nicht angenommen, weil es zu groß ist.",
  POLICY_VERSION_UNKNOWN:
    "Diese Website hat es nicht angenommen, weil es von einer Version des Assistenten stammt, die nicht mehr benutzt wird.",
  SCHEMA_VERSION_UNSUPPORTED:
    "Diese Website hat es nicht angenommen, weil diese Seite veraltet ist. Bitte laden Sie die Seite neu.",
  STORAGE_DAMAGED: "Es wurde in diesem Browser beschädigt und konnte nicht gesendet werden.",
};
