/** Each rule for keys and passwords alone. */
import { API_KEY_RULES } from "./api-key.ts";
import { PASSWORD_RULES } from "./password.ts";
import { testRules } from "./rule-cases.fixture.ts";

testRules("API_KEY", API_KEY_RULES, [
  {
    rule: "private keys",
    found: [
      "<-----BEGIN PRIVATE KEY-----\nMIIBOgIBAAJB\n-----END PRIVATE KEY----->",
      "mein Schlüssel: <-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==>",
    ],
    kept: ["-----BEGIN PUBLIC KEY-----\nMIIB", "BEGIN PRIVATE KEY"],
  },
  {
    rule: "keys of known services",
    found: [
      "<AKIAIOSFODNN7EXAMPLE>",
      "der Token <ghp_abcdefghij0123456789> geht nicht",
      "キー<npm_abcdefghijklmnopqrstuvwxyz0123>です",
    ],
    kept: ["AKIAIOSFODNN7", "sk-learn", "xAKIAIOSFODNN7EXAMPLE", "sk-abcdefghijklmnopqrstuvwx"],
  },
  {
    rule: "the secret key of AWS",
    found: [
      "<wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY>",
      "la clave <wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY> falla",
    ],
    kept: [
      "3f2a9c8d7e6b5a4f3e2d1c0b9a8f7e6d5c4b3a2f",
      "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEYx",
      "path/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY=",
    ],
  },
  {
    rule: "after words that announce it",
    found: [
      "api_key=<9f8d7c6b5a4e3d2c1b0a>",
      "API-Schlüssel ist <9f8d7c6b5a4e3d2c1b0a>.",
      "トークン：<9f8d7c6b5a4e3d2c1b0a>",
      'client_secret: "<8kd93jKd02jfnv83hf>"',
    ],
    kept: [
      "token limit: 4096 tokens",
      "api key: required-on-each-call",
      "api key: 9f8d7c6b5a4",
      "secret garden 2026-11-30T10:00:00Z",
    ],
  },
]);

testRules("PASSWORD", PASSWORD_RULES, [
  {
    rule: "in a URL",
    found: ["ftp://otto:<s3cret>@example.org/x", "siehe https://otto:<geheim>@example.org"],
    kept: [
      "https://example.org:8443/path",
      "https://otto@example.org",
      "https://otto:@example.org",
    ],
  },
  {
    rule: "after words that announce it: a token",
    found: [
      "my password is <Hive_Nectar7>",
      "das Kennwort lautet <Honig!88>.",
      "mot de passe : <Ruche#12>",
      "パスワードは<Mitsu_99>です",
      'la password è "<polline>"',
    ],
    kept: [
      "my password is wrong",
      "password: required",
      "PIN is 4 digits long",
      "wachtwoord: a1",
      "passwords matter",
    ],
  },
  {
    rule: "after words that announce it: one word",
    found: [
      "my password is <clover>.",
      "mein passwort ist <waldhonig>, hilft das?",
      "senha é <colmeia>",
    ],
    kept: [
      "my password is expired",
      "mein passwort ist falsch",
      "my password is Clover.",
      "my password is clover honey",
    ],
  },
  {
    rule: "after a login and an e-mail address",
    found: [
      "I log in with otto@example.org and <Rain_77x>",
      "Konto otto@example.org / <Tulip!Noon4>",
      "accedo con otto@example.org e <Miele_31>.",
    ],
    kept: [
      "I log in with otto@example.org and my phone",
      "account otto@example.org, other@example.org",
      "otto@example.org / Tulip!Noon4",
    ],
  },
  {
    rule: "a generated token after a word for passwords",
    found: [
      "the password was changed to <nectar_Hive88> yesterday",
      "senha nova: agora <Mel_doce77>",
    ],
    kept: [
      "the password field of the iPhone15",
      "the password\nnectar_Hive88",
      "the password has 12 signs",
    ],
  },
  {
    rule: "a generated token before a word for passwords",
    found: ["<nectar_Hive88> is refused as password", "<Honig_wabe77> geht nicht als Kennwort"],
    kept: [
      "nectar_Hive88 is a product",
      "WH-1000XM5 asks for a password",
      "nectar refused as password",
    ],
  },
  {
    rule: "a strong token after words that announce it, further on",
    found: [
      "password, as I said before, <nectar_Hive88>",
      "wachtwoord dat ik kreeg, <Honing_raat7>",
    ],
    kept: ["password, as I said before, nectar", "password for the iPhone15 please"],
  },
  {
    rule: "a strong token that was used for an account",
    found: [
      "somebody is in my account, I used <summerIn_77> everywhere",
      "mein Konto, ich benutze <Honig_wabe77> überall",
    ],
    kept: ["my account, I used iPhone15 yesterday", "I used summerIn_77 everywhere"],
  },
  {
    rule: "named afterwards",
    found: [
      "I chose <Blue-Horse-77> as the new password",
      "<Honig_77> ist mein Passwort",
      "<Mitsu_99>をパスワードに設定",
    ],
    kept: ["I chose it as the new password", "honey is my favorite", "Blue-Horse-77 as a present"],
  },
  {
    rule: "in a command",
    found: [
      "mysql -u otto -p<Hive77pass>",
      "curl -u otto:<hive-Nectar7> https://x.example",
      "sshpass -p <hive-Nectar7> ssh x",
    ],
    kept: ["mysql -u otto -p 3306", "docker login", "run -p 8080:80"],
  },
]);
