/** A database that counts the rows it read, as D1 bills them. */
export type RowMeter = { readonly DB: D1Database; rows: number };

/** Wraps `database`; every statement adds to `rows`. */
export function meterRows(database: D1Database): RowMeter {
  const meter: { DB: D1Database; rows: number } = { DB: database, rows: 0 };
  const originals = new WeakMap<object, D1PreparedStatement>();
  const count = <T>(result: D1Result<T>): D1Result<T> => {
    meter.rows += result.meta.rows_read;
    return result;
  };
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const all = async <T>(): Promise<D1Result<T>> => count(await statement.all<T>());
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      all,
      run: all,
      first: async <T>(column?: string): Promise<T | null> => {
        const row = (await all<Record<string, unknown>>()).results[0];
        if (row === undefined) return null;
        return (column === undefined ? row : row[column]) as T;
      },
    } as D1PreparedStatement;
    originals.set(wrapped, statement);
    return wrapped;
  };
  meter.DB = {
    prepare: (sql: string) => wrap(database.prepare(sql)),
    batch: async <T>(statements: D1PreparedStatement[]) =>
      (await database.batch<T>(statements.map((s) => originals.get(s) ?? s))).map(count),
  } as D1Database;
  return meter;
}
