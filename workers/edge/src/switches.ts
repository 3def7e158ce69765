/** The freeze and the kill switch in D1. A row means that the switch is on. */
import { type ControlState, KillMode, WaggleError } from "@waggle/protocol";
import { auditStatement, type Decision } from "./audit-log.ts";
import type { SiteDatabase } from "./sites/site-database.ts";

type SwitchRow = {
  name: "freeze" | "kill";
  mode: string | null;
  actor: string;
  reason: string;
  at: number;
};

/** State of both switches; `null` = off. */
export type Switches = Pick<ControlState, "frozen" | "killed">;

/** Reads both switches. */
export async function readSwitches(db: SiteDatabase): Promise<Switches> {
  const { results } = await db
    .prepare("SELECT name, mode, actor, reason, at FROM switches WHERE site = ?site")
    .bind()
    .all<SwitchRow>();
  const record = (name: SwitchRow["name"]) => {
    const row = results.find((each) => each.name === name);
    if (row === undefined) return null;
    const { actor, reason, at, mode } = row;
    return { by: actor, reason, at: new Date(at).toISOString(), mode };
  };
  const freeze = record("freeze");
  const kill = record("kill");
  return {
    frozen: freeze && { by: freeze.by, reason: freeze.reason, at: freeze.at },
    killed: kill && { ...kill, mode: KillMode.parse(kill.mode) },
  };
}

/** Stops publications and promotions. Repeating it changes nothing. */
export async function freeze(db: SiteDatabase, decision: Decision): Promise<void> {
  const { frozen } = await readSwitches(db);
  if (frozen?.by === decision.by && frozen.reason === decision.reason) return;
  await db.batch([set(db, "freeze", null, decision), auditStatement(db, "freeze", decision)]);
}

/** Allows publications and promotions again. */
export async function unfreeze(db: SiteDatabase, decision: Decision): Promise<void> {
  if ((await readSwitches(db)).frozen === null) return;
  await db.batch([clear(db, "freeze"), auditStatement(db, "unfreeze", decision)]);
}

/** Takes trained policies away from pages. */
export async function setKillSwitch(
  db: SiteDatabase,
  mode: KillMode,
  decision: Decision,
): Promise<void> {
  const reason = decision.reason === "" ? mode : `${mode}: ${decision.reason}`;
  await db.batch([
    set(db, "kill", mode, decision),
    auditStatement(db, "kill-switch-on", { ...decision, reason }),
  ]);
}

/** Pages run the policy of their channel again. */
export async function clearKillSwitch(db: SiteDatabase, decision: Decision): Promise<void> {
  if ((await readSwitches(db)).killed === null) return;
  await db.batch([clear(db, "kill"), auditStatement(db, "kill-switch-off", decision)]);
}

/** @throws WaggleError `FROZEN` */
export async function requireNotFrozen(db: SiteDatabase): Promise<void> {
  const { frozen } = await readSwitches(db);
  if (frozen === null) return;
  throw new WaggleError(
    "FROZEN",
    `${frozen.by} froze promotions at ${frozen.at}; an operator must lift the freeze first`,
  );
}

function set(
  db: SiteDatabase,
  name: SwitchRow["name"],
  mode: KillMode | null,
  { by, reason, now }: Decision,
): D1PreparedStatement {
  return db
    .prepare(
      "INSERT OR REPLACE INTO switches (site, name, mode, actor, reason, at) VALUES (?site, ?1, ?2, ?3, ?4, ?5)",
    )
    .bind(name, mode, by, reason, now);
}

function clear(db: SiteDatabase, name: SwitchRow["name"]): D1PreparedStatement {
  return db.prepare("DELETE FROM switches WHERE site = ?site AND name = ?1").bind(name);
}
