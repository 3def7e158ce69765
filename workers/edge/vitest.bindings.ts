/** Bindings of the Worker in tests: throw-away credentials and the migrations to apply. */
import { join } from "node:path";
import { readD1Migrations } from "@cloudflare/vitest-plugin";

/** The bindings. */
export async function edgeTestBindings() {
  return {
    SITE_KEYS: "test-site",
    SESSION_SECRET: "a secret of the tests that has 40 letters",
    TRAINER_CREDENTIAL: "trainer-credential-of-the-tests",
    OPERATOR_CREDENTIAL: "operator-credential-of-the-tests",
    ALLOWED_ORIGINS: "https://site.example, https://other.example",
    TASK_ENVIRONMENT: "rooms",
    GROUP_SIZE: "3",
    GROUP_DEADLINE_SECONDS: "90",
    RATE_LIMIT_PER_MINUTE: "400",
    CANARY_SHARE: "0.5",
    // Records of these tests have fixed dates.
    CONSENT_DAYS: "36500",
    MIGRATIONS: await readD1Migrations(join(import.meta.dirname, "migrations")),
  };
}
