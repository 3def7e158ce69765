import { introduced, whole } from "./rule.ts";
import type { DetectionRule } from "./rule.ts";
import { WORD_PART, words } from "./surroundings.ts";

/** Keys of known services. */
const KNOWN = [
  "(?:AKIA|ASIA)[A-Z0-9]{16}", // AWS
  "gh[opsur]_\\w{20,255}|github_pat_\\w{20,255}", // GitHub
  "gl(?:pat|ptt|dt|rt|cbt)-[\\w-]{18,64}", // GitLab
  "[prs]k_(?:live|test)_\\w{10,255}|whsec_[\\w+/=]{20,128}", // Stripe
  "sk-(?=[\\w-]{0,64}\\d)[\\w-]{20,255}", // OpenAI, Anthropic
  "xox[a-z]-[\\w-]{10,255}|xapp-[\\w-]{10,255}", // Slack
  "AIza[\\w-]{35}|ya29\\.[\\w-]{20,255}|GOCSPX-[\\w-]{20,64}", // Google
  "npm_\\w{30,64}|pypi-[\\w-]{40,255}|hf_\\w{30,64}|gsk_\\w{30,64}", // npm, PyPI, Hugging Face, Groq
  "SG\\.[\\w-]{16,64}\\.[\\w-]{16,64}|key-[0-9a-f]{32}", // SendGrid, Mailgun
  "(?:AC|SK)[0-9a-f]{32}", // Twilio
  "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|do[opr]_v1_[0-9a-f]{64}", // Shopify, DigitalOcean
  "\\d{8,10}:[\\w-]{35}", // Telegram
  "eyJ[\\w-]{8,4096}\\.eyJ[\\w-]{4,4096}\\.[\\w-]{0,1024}", // JSON Web Token
].join("|");

const ANNOUNCED = words(
  "(?:[a-z0-9]{1,20}[_-]){0,3}(?:api|access|secret|private|auth|account|client|bearer|refresh|service|license)[ _-]?(?:access[ _-]?)?(?:key|token|secret)(?:[ _-]?id)?|" +
    "(?:[a-z0-9]{1,20}[_-]){0,3}(?:token|secret|apikey)|bearer|authorization|credentials?|" +
    "(?:api|zugangs)-?(?:schlüssel|sleutel|nyckel\\p{L}*|token)|cl[eé] (?:d['’]|de l['’])?api|clave (?:de )?(?:la )?api|chiave api|chave (?:de |da )?api|" +
    "klucz\\p{L}* api|api anahtar\\p{L}*|api klucz\\p{L}*|jeton|apiキー|トークン|シークレット|アクセスキー|secret[oa]?|segreto|sekret\\p{L}*|hemlighet|geheim\\p{L}*",
  "",
);
const ANNOUNCED_VALUE =
  /^(?:\s{0,2}\p{L}{1,10}){0,3}?[\s:：="'`]{1,6}(?:(?:bearer|basic|is|ist|est|es|è|é|jest|är)[\s:]{1,2})?["'`]?(?<value>[\w+/=.~-]{16,512})/iu;

/** Letters and digits in an order that no word or path has. */
function looksRandom(value: string): boolean {
  const isMixed = /\d/.test(value) && /\p{L}/u.test(value);
  return isMixed && new Set(value).size >= 9 && !/^(?:\d{4}-\d\d|https?:|www\.)/.test(value);
}

/** Keys, tokens and private keys. */
export const API_KEY_RULES: readonly DetectionRule[] = [
  whole(
    "API_KEY",
    /-----BEGIN[A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----[\w+/=\s\\:,.]{0,8000}(?:-----END[A-Z ]{0,40}-----)?/u,
  ),
  whole("API_KEY", new RegExp(`(?<!${WORD_PART}|-)(?:${KNOWN})(?!${WORD_PART})`, "u")),
  // The secret key of AWS.
  whole("API_KEY", /(?<![\w+/=.-])[A-Za-z\d+/]{40}(?![\w+/=-])/u, (match) =>
    /^(?=[^/+]*\d[^]*[/+]|(?:\D*\d){3}|[^/+]*[/+][^]*\d)(?=(?:[^A-Z]*[A-Z]){5})(?=(?:[^a-z]*[a-z]){5})/.test(
      match,
    ),
  ),
  introduced("API_KEY", new RegExp(ANNOUNCED, "iu"), (rest) => {
    const match = ANNOUNCED_VALUE.exec(rest);
    const value = match?.groups?.["value"]?.replace(/[.~-]+$/, "");
    if (!match || value === undefined || !looksRandom(value)) return null;
    const start = match[0].length - (match.groups?.["value"] ?? "").length;
    return [start, start + value.length];
  }),
];
