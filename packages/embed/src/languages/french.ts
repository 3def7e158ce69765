/** The texts in French. */
import { sizeIn } from "../element/size-text.ts";
import type { Language } from "./language.ts";

/** French. */
export const FRENCH: Language = {
  code: "fr",
  agent: {
    unreadable: "Désolé, je n'ai pas pu répondre. Réessayez, ou formulez votre demande autrement.",
    silenced: "L'assistant est désactivé pour le moment. Réessayez plus tard.",
    unsure: (label) => `Est-ce bien ce que vous voulez ? ${label}`,
    failed: (code) => FAILURES[code] ?? "L'assistant ne peut pas répondre.",
  },
  panel: {
    language: "fr",
    title: "Assistant",
    greeting:
      "Demandez quelque chose sur cette page. Le modèle fonctionne ici, dans votre navigateur.",
    untrained:
      "Cet assistant ne s'est pas encore exercé sur ce site. Il peut utiliser les outils de la page et se trompe souvent.",
    placeholder: "Écrivez votre demande",
    request: "Demande",
    conversation: "Conversation",
    visitor: "Vous :",
    assistant: "Assistant :",
    send: "Envoyer",
    stop: "Arrêter",
    tryAgain: "Réessayer",
    newConversation: "Nouvelle conversation",
    open: "Demander à l'assistant",
    close: "Fermer l'assistant",

    loading: "Chargement du modèle",
    starting: "démarrage",
    beingPrepared: "en préparation par le site",
    ready: "prêt",
    readyUntrained: "prêt, pas encore entraîné",
    readyOffline: "prêt, hors ligne",
    working: "en cours",
    held: "La demande est envoyée dès que l'assistant est prêt.",
    switchedOff: "désactivé",
    notAvailable: "indisponible",
    size: sizeIn("fr"),
    loaded: (loaded, total) => `${loaded} sur ${total}`,
    olderPolicy:
      "La dernière version de l'assistant n'a pas pu être chargée. Une version plus ancienne répond pour l'instant.",
    offline:
      "Vous êtes hors ligne. L'assistant fonctionne quand même. Les données que vous avez accepté de partager seront envoyées plus tard.",

    consentTitle: "Ce site peut-il conserver ce que l'assistant fait pour vous ?",
    consentBody:
      "Si vous acceptez, vos demandes, les réponses et les outils utilisés sont envoyés à ce site et y sont conservés. Aujourd'hui, l'assistant n'apprend pas de ces données : il n'apprend que d'exercices faits par des visiteurs simulés. Les noms, adresses, adresses e-mail, mots de passe, clés et numéros de téléphone, de carte, de compte et d'identité sont remplacés avant toute conservation, s'ils sont reconnus. Vous pouvez voir tout ce qui a été envoyé, arrêter à tout moment et tout faire supprimer. Si vous refusez, l'assistant fonctionne de la même façon.",
    consentMore: "Qu'est-ce qui est conservé ?",
    consentAccept: "Accepter",
    consentDecline: "Refuser",
    consentTrain: "L’assistant peut en apprendre.",
    consentFeedback: "Le site peut utiliser ce que je dis des réponses.",
    saveChoice: "Enregistrer mon choix",

    toolRunning: "en cours",
    toolDone: "terminé",
    toolFailed: "échec",
    allow: "Autoriser",
    dontAllow: "Ne pas autoriser",

    stopped: "Arrêté.",
    tooLong: "Interrompu : la réponse devenait trop longue.",
    toolsFailed: "Interrompu : un outil a échoué trop souvent.",
    tookTooLong: "Interrompu : cela prenait trop de temps.",
    repeated:
      "Interrompu : l'assistant répétait la même étape sans nouveau résultat. Formulez votre demande autrement.",
    repeatedUntrained:
      "Interrompu : l'assistant répétait la même étape sans nouveau résultat. Il ne s'est pas encore exercé sur ce site.",

    goodAnswer: "Bonne réponse",
    badAnswer: "Mauvaise réponse",
    thanks: "Merci. Le site reçoit cet avis avec la réponse.",
    thanksNotShared: "Noté ici. Le site ne le reçoit pas, car vous n'avez pas accepté le partage.",

    whatISent: "Ce que j'ai envoyé",
    yourChoice: "Votre choix",
    notAgreed:
      "Vous n'avez pas accepté. Rien ne quitte cette page, sauf les appels aux outils de ce site.",
    withdrawing:
      "Ce site n'a pas encore confirmé votre retrait. Il est renvoyé jusqu'à sa confirmation.",
    agreed: (when, version) =>
      `Vous avez accepté le ${when} (texte ${version}). Le retrait arrête l'envoi et supprime l'identifiant de ce navigateur. Pour supprimer ce qui a déjà été envoyé, choisissez « Oubliez-moi » avant de quitter cette page.`,
    receipt: (when) =>
      `Ce site a enregistré votre accord le ${when}. Son reçu signé est conservé dans ce navigateur.`,
    noReceipt: "Ce site n'a pas encore enregistré votre accord.",
    withdraw: "Retirer",
    nothingCollected: "Rien n'a été collecté.",
    collected: ({ sent, waiting, rejected, damaged }) =>
      `${sent} envoyés, ${waiting} en attente, ${rejected} non acceptés.` +
      (damaged === 0 ? "" : ` ${damaged} endommagés dans ce navigateur et supprimés.`),
    storageFull:
      "Le stockage du navigateur est plein. Les nouvelles données ne sont pas conservées.",
    storageMissing: "Ce navigateur ne conserve aucune donnée pour cette page.",
    waiting: "En attente",
    sent: "Envoyé",
    rejected: "Non accepté",
    contentGone: "Son contenu n'est plus conservé dans ce navigateur.",
    notShown:
      "Cette entrée ne peut pas être affichée pour le moment. Réessayez lorsque vous serez en ligne.",
    recordedAt: (when) => `Enregistré le ${when}.`,
    sentAt: (when) => `Envoyé à ce site le ${when}.`,
    notSentYet: "Pas encore envoyé.",
    refused: (code) => REFUSALS[code] ?? "Ce site ne l'a pas accepté et n'en conserve rien.",
    practiceTask: "Exercice :",
    unreadable: "L'assistant a écrit quelque chose d'illisible.",
    toolGiven: "Donné à l'outil",
    toolReturned: "Réponse de l'outil",
    yes: "oui",
    no: "non",
    nothing: "rien",
    download: "Enregistrer exactement ce qui est envoyé dans un fichier",
    stored: ({ trajectories, feedback }) =>
      `Entrées conservées par ce site : ${trajectories}. Avis conservés : ${feedback}.`,
    storedUnknown:
      "Ce que ce site conserve ne peut pas être lu pour le moment. Veuillez réessayer quand vous serez en ligne.",
    saveStored: "Enregistrer tout ce que ce site conserve sur moi",
    forgetMe: "Oubliez-moi",
    forgetExplained:
      "Supprime les données que ce site possède sur vous et tout ce que l'assistant conserve dans ce navigateur.",
    deleteEverything: "Tout supprimer",
    keepIt: "Conserver",
    deleting: "Suppression.",
    deleted: (trajectories, versions) =>
      `${trajectories} ${trajectories > 1 ? "entrées supprimées" : "entrée supprimée"} sur le site, ainsi que tout ce qui était dans ce navigateur. ` +
      (versions.length === 0
        ? "Aucune version de l'assistant n'en a appris."
        : `Versions de l'assistant qui en ont appris : ${versions.join(", ")}.`),
    notDeleted:
      "Le site n'a pas pu être joint. Plus rien ne sera envoyé. Réessayez lorsque vous serez en ligne.",
  },
};

const FAILURES: { readonly [code: string]: string } = {
  NETWORK: "Le serveur de l'assistant est injoignable.",
  BROWSER_UNSUPPORTED:
    "Ce navigateur ou cette connexion ne permet pas d'exécuter l'assistant. Les versions actuelles de Chrome, Edge et Firefox le peuvent sur les pages https.",
  MODEL_TOO_LARGE: "Cet appareil n'a pas assez de mémoire pour l'assistant.",
  OUT_OF_MEMORY:
    "Cet appareil n'a pas assez de mémoire pour l'assistant. Veuillez fermer d'autres pages et réessayer.",
  DEVICE_LOST: "L'assistant a été interrompu. Veuillez réessayer.",
  CONTEXT_OVERFLOW: "La conversation est devenue trop longue. Commencez-en une nouvelle.",
};

const REFUSALS: { readonly [code: string]: string } = {
  CONSENT_MISSING: "Ce site ne l'a pas accepté, car vous n'aviez pas donné votre accord.",
  PAYLOAD_TOO_LARGE: "Ce site ne l'a pas accepté, car c'est trop volumineux.",
  POLICY_VERSION_UNKNOWN:
    "Ce site ne l'a pas accepté, car cela vient d'une version de l'assistant qui n'est plus utilisée.",
  SCHEMA_VERSION_UNSUPPORTED:
    "Ce site ne l'a pas accepté, car cette page est ancienne. Veuillez recharger la page.",
  STORAGE_DAMAGED:
    "Les données ont été endommagées dans ce navigateur et n'ont pas pu être envoyées.",
};
