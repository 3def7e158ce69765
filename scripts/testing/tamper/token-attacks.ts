/** Requests with tokens and credentials that do not give the right. */
import { createHmac } from "node:crypto";
import { edgeRecord, uploadOf } from "../edge/edge-record.ts";
import type { RawRequest } from "../edge/raw-request.ts";
import { attack, type EdgeAttack, jsonHeaders, type Refusal } from "./edge-attack.ts";

const UNKNOWN: Refusal = [401, "UNAUTHENTICATED"];
const FORBIDDEN: Refusal = [403, "FORBIDDEN"];

const TOKENS = "tokens are signed by the edge, for one use and a time";
const ROLES = "each role has its own credential";
const SITES = "a token or credential opens one site";

/** A request for the policy of a page with this header. */
const policyWith = (authorization: string): RawRequest => ({
  method: "GET",
  path: "/v1/policy",
  headers: { authorization },
});
const policyAs = (token: string): RawRequest => policyWith(`Bearer ${token}`);
const get = (
  path: string,
  token: string,
  more: Readonly<Record<string, string>> = {},
): RawRequest => ({
  method: "GET",
  path,
  headers: { authorization: `Bearer ${token}`, ...more },
});

type Claims = Readonly<Record<string, unknown>>;
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const claimsOf = (token: string): Claims =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Claims;

/** The token with other claims, signed with `secret`. */
function signed(
  token: string,
  secret: string,
  change: Claims = {},
  [alg, hash]: readonly [string, string] = ["HS256", "sha256"],
): string {
  const content = `${part({ alg, typ: "JWT" })}.${part({ ...claimsOf(token), ...change })}`;
  return `${content}.${createHmac(hash, secret).update(content).digest("base64url")}`;
}

const PAST = 1_000_000_000;

/** All of them. */
export const TOKEN_ATTACKS: readonly EdgeAttack[] = [
  attack("no token", "calls a page's route without a token", TOKENS, UNKNOWN, () => ({
    method: "GET",
    path: "/v1/policy",
  })),
  attack(
    "an invented token",
    "signs a token with a secret of its own",
    TOKENS,
    UNKNOWN,
    ({ page }) => policyAs(signed(page.token, "of the attacker, with 40 letters or so")),
  ),
  attack("an empty secret", "signs a token with nothing", TOKENS, UNKNOWN, ({ page }) =>
    policyAs(signed(page.token, "")),
  ),
  attack(
    "an expired token",
    "uses a token after its time",
    TOKENS,
    UNKNOWN,
    ({ page, installation }) =>
      policyAs(signed(page.token, installation.sessionSecret, { exp: PAST, iat: PAST - 900 })),
  ),
  attack("a truncated token", "cuts the signature off in the middle", TOKENS, UNKNOWN, ({ page }) =>
    policyAs(page.token.slice(0, -8)),
  ),
  attack("a token without its signature", "removes the signature", TOKENS, UNKNOWN, ({ page }) =>
    policyAs(page.token.split(".").slice(0, 2).join(".") + "."),
  ),
  attack("algorithm none", "says that no signature is needed", TOKENS, UNKNOWN, ({ page }) =>
    policyAs(`${part({ alg: "none", typ: "JWT" })}.${page.token.split(".")[1]}.`),
  ),
  attack(
    "another algorithm",
    "signs with HS512 and the right secret",
    TOKENS,
    UNKNOWN,
    ({ page, installation }) =>
      policyAs(signed(page.token, installation.sessionSecret, {}, ["HS512", "sha512"])),
  ),
  attack(
    "another visitor in a token",
    "changes the visitor and keeps the signature",
    TOKENS,
    UNKNOWN,
    ({ page, neighbor }) => {
      const [head, , signature] = page.token.split(".");
      return policyAs(
        `${head}.${part({ ...claimsOf(page.token), sub: neighbor.visitorId })}.${signature}`,
      );
    },
  ),
  attack(
    "a visitor's token as a session",
    "uses the long-lived token for a request",
    TOKENS,
    UNKNOWN,
    ({ page }) => policyAs(page.visitorToken),
  ),
  attack(
    "a token for another use",
    "signs a token for an audience that does not exist",
    TOKENS,
    UNKNOWN,
    ({ page, installation }) =>
      policyAs(signed(page.token, installation.sessionSecret, { aud: "waggle-operator" })),
  ),
  attack(
    "a token of a site that does not exist",
    "names an unknown site in a signed token",
    TOKENS,
    UNKNOWN,
    ({ page, installation }) =>
      policyAs(signed(page.token, installation.sessionSecret, { site: "__proto__" })),
  ),
  attack(
    "a token in the address",
    "puts its token into the query",
    TOKENS,
    UNKNOWN,
    ({ page }) => ({
      method: "GET",
      path: `/v1/policy?token=${page.token}&access_token=${page.token}`,
    }),
  ),
  attack("another scheme", "sends its token as Basic", TOKENS, UNKNOWN, ({ page }) =>
    policyWith(`Basic ${page.token}`),
  ),
  attack("two tokens", "sends two tokens in one header", TOKENS, UNKNOWN, ({ page, neighbor }) =>
    policyWith(`Bearer ${page.token}, Bearer ${neighbor.token}`),
  ),
  attack("a token of 5,000 letters", "sends a longer token than any", TOKENS, UNKNOWN, () =>
    policyAs("a".repeat(5000)),
  ),
  attack(
    "an upload without consent",
    "uploads in a session of a visitor who did not consent",
    "without consent nothing is stored",
    [403, "CONSENT_MISSING"],
    async (edge) => ({
      method: "POST",
      path: "/v1/trajectories",
      headers: jsonHeaders(edge.passerBy.token),
      body: JSON.stringify({ trajectories: [await uploadOf(edgeRecord(edge.baseModel, null))] }),
    }),
  ),
  attack(
    "a page as the operator",
    "reads the summary with a page's token",
    ROLES,
    UNKNOWN,
    ({ page }) => get("/v1/operator/summary", page.token),
  ),
  attack(
    "the trainer as the operator",
    "reads the summary with the trainer's credential",
    ROLES,
    UNKNOWN,
    ({ installation }) => get("/v1/operator/summary", installation.trainerCredential),
  ),
  attack(
    "the operator as the trainer",
    "reads policies with the operator's credential",
    ROLES,
    UNKNOWN,
    ({ installation }) => get("/v1/trainer/policies", installation.operatorCredential),
  ),
  attack(
    "a credential and one letter",
    "appends a letter to the operator's credential",
    ROLES,
    UNKNOWN,
    ({ installation }) => get("/v1/operator/summary", `${installation.operatorCredential}a`),
  ),
  attack(
    "a record for another site",
    "uploads to its own site what another site's model wrote",
    SITES,
    [409, "POLICY_VERSION_UNKNOWN"],
    async (edge) => ({
      method: "POST",
      path: "/v1/trajectories",
      headers: { ...jsonHeaders(edge.foreigner.token), "x-waggle-site": "default" },
      body: JSON.stringify({ trajectories: [await uploadOf(edgeRecord(edge.baseModel, null))] }),
    }),
  ),
  attack(
    "the site's name of another",
    "names another site with its own trainer's credential",
    SITES,
    FORBIDDEN,
    ({ foreign }) => get("/v1/trainer/policies", foreign.trainer, { "x-waggle-site": "default" }),
  ),
  attack(
    "another site's visitor",
    "exports a visitor of another site",
    SITES,
    FORBIDDEN,
    ({ foreign, page }) =>
      get(`/v1/operator/visitors/${page.visitorId}/export`, foreign.operator, {
        "x-waggle-site": "default",
      }),
  ),
  attack(
    "all sites with the credential of one",
    "lists the sites of the installation",
    SITES,
    FORBIDDEN,
    ({ foreign }) => get("/v1/operator/sites", foreign.operator),
  ),
  attack(
    "an unknown site key",
    "opens a session with a key that no site has",
    SITES,
    [403, "SITE_UNKNOWN"],
    () => ({
      method: "POST",
      path: "/v1/sessions",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ siteKey: "__proto__" }),
    }),
  ),
];
