import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { escapeIdentifier, escapeLiteral, inTransaction, type Pool, withSettings } from './postgres.ts';

/** The roles of the processes. Only the owner of the database changes schemas. */
export const databaseRoles = ['api', 'projector', 'worker'] as const;
export type DatabaseRole = (typeof databaseRoles)[number];
export type RoleNames = Readonly<Record<DatabaseRole, string>>;
/** A connection string for each role. */
export type DatabaseUrls = Readonly<Record<DatabaseRole, string>>;

/** Roles are shared by all databases of a server; `prefix` separates two installations on one server. */
export const roleNames = (prefix: string): RoleNames => ({
  api: `${prefix}_api`,
  projector: `${prefix}_projector`,
  worker: `${prefix}_worker`,
});

/** The privileges of the roles in a schema. They have no others. */
export type Privileges = {
  schema: string;
  tables: Readonly<Record<string, Readonly<Partial<Record<DatabaseRole, string>>>>>;
  /** Functions by signature, with the roles that can call them. */
  functions?: Readonly<Record<string, readonly DatabaseRole[]>>;
  /** Additional statements, for example for schemas that are created at run time. */
  further?: (names: RoleNames) => readonly string[];
};

/** A connection string that sets the role. Its account must be the role or a member of it. */
export const urlAs = (url: string, roleName: string): string => withSettings(url, { role: roleName });

export const urlsAs = (url: string, names: RoleNames): DatabaseUrls => ({
  api: urlAs(url, names.api),
  projector: urlAs(url, names.projector),
  worker: urlAs(url, names.worker),
});

/** SQLSTATE: the role or membership already exists, or another process is changing it. */
const isConcurrentChange = (error: unknown) =>
  error instanceof Error && 'code' in error && ['42710', '23505', 'XX000'].includes(String(error.code));
const attempts = 5;

/**
 * Creates missing roles without login and makes the account of `pool` a member of each. The worker can set the role of
 * the projector, because it projects the metrics and verifies read models.
 */
export async function createRoles(pool: Pool, names: RoleNames): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryToCreateRoles(pool, names);
    } catch (error) {
      // Databases of a server share their roles, but no lock covers all databases.
      if (!isConcurrentChange(error) || attempt === attempts) throw error;
    }
  }
}

async function tryToCreateRoles(pool: Pool, names: RoleNames): Promise<void> {
  const all = databaseRoles.map((role) => names[role]);
  const { rows } = await pool.query<{ name: string }>('select rolname as name from pg_roles where rolname = any($1)', [
    all,
  ]);
  for (const name of all.filter((candidate) => !rows.some((row) => row.name === candidate))) {
    await pool.query(`create role ${escapeIdentifier(name)} nologin noinherit`);
  }
  const { rows: facts } = await pool.query<{ account: string; isSuper: boolean; version: number; mayAct: boolean }>(
    `select current_user as account, rolsuper as "isSuper", current_setting('server_version_num')::int as version,
       pg_has_role($1, $2, 'member') as "mayAct"
     from pg_roles where rolname = current_user`,
    [names.worker, names.projector],
  );
  const [fact] = facts;
  if (!fact) throw new Error('the database account does not exist');
  if (!fact.mayAct) {
    await pool.query(`grant ${escapeIdentifier(names.projector)} to ${escapeIdentifier(names.worker)}`);
  }
  if (fact.isSuper) return;
  // Since Postgres 16 the creator of a role can administer it, but neither set it nor use its privileges.
  const [kind, options] =
    fact.version >= 160_000 ? ['set, usage', ' with set true, inherit true'] : ['member, usage', ''];
  for (const name of all) {
    const { rows: held } = await pool.query<{ isMember: boolean }>(
      `select bool_and(pg_has_role(current_user, $1, kind)) as "isMember" from unnest($2::text[]) kind`,
      [name, kind.split(', ')],
    );
    if (!held[0]?.isMember) {
      await pool.query(`grant ${escapeIdentifier(name)} to ${escapeIdentifier(fact.account)}${options}`);
    }
  }
}

/** Statements that give the roles exactly these privileges. */
function privilegeStatements(names: RoleNames, privileges: readonly Privileges[]): string[] {
  const everybody = ['public', ...databaseRoles.map((role) => escapeIdentifier(names[role]))].join(', ');
  return privileges.flatMap(({ schema, tables, functions = {}, further }) => {
    const withLedger = { ...tables, migrations: { api: 'select', projector: 'select', worker: 'select' } };
    return [
      `revoke all on schema ${schema} from ${everybody}`,
      `revoke all on all tables in schema ${schema} from ${everybody}`,
      `revoke all on all functions in schema ${schema} from ${everybody}`,
      `grant usage on schema ${schema} to ${databaseRoles.map((role) => escapeIdentifier(names[role])).join(', ')}`,
      ...Object.entries(withLedger).flatMap(([table, rights]) =>
        databaseRoles.flatMap((role) => {
          const right = (rights as Partial<Record<DatabaseRole, string>>)[role];
          return right ? [`grant ${right} on ${schema}.${table} to ${escapeIdentifier(names[role])}`] : [];
        }),
      ),
      ...Object.entries(functions).flatMap(([signature, roles]) =>
        roles.map((role) => `grant execute on function ${schema}.${signature} to ${escapeIdentifier(names[role])}`),
      ),
      ...(further?.(names) ?? []),
    ];
  });
}

/** Identifies a set of privileges, so that it is applied once. */
export const privilegesChecksum = (names: RoleNames, privileges: readonly Privileges[]): string =>
  createHash('sha256').update(privilegeStatements(names, privileges).join(';\n')).digest('hex');

/** @throws Error when the account of `pool` does not own the schemas */
export async function applyPrivileges(pool: Pool, names: RoleNames, privileges: readonly Privileges[]): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query('select pg_advisory_xact_lock(hashtext($1))', ['privileges']);
    await tx.query(privilegeStatements(names, privileges).join(';\n'));
  });
}

/**
 * A statement that makes a role the owner of a schema and everything in it, if the schema exists. Objects created
 * before roles were introduced belong to another account.
 */
export function handOver(schema: string, roleName: string): string {
  const [namespace, owner, role] = [
    `to_regnamespace(${escapeLiteral(schema)})`,
    `${escapeLiteral(escapeIdentifier(roleName))}::regrole`,
    escapeIdentifier(roleName),
  ];
  return `do $$
declare
  item record;
begin
  if ${namespace} is null then return; end if;
  alter schema ${escapeIdentifier(schema)} owner to ${role};
  for item in
    select case c.relkind when 'S' then 'sequence' when 'v' then 'view' else 'table' end as kind, c.oid::regclass::text as name
    from pg_class c
    where c.relnamespace = ${namespace} and c.relkind in ('r', 'p', 'v', 'S') and c.relowner <> ${owner}
      -- The sequence of a column goes with its table.
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
        and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i') and c.relkind = 'S')
    union all
    select 'routine', p.oid::regprocedure::text from pg_proc p where p.pronamespace = ${namespace} and p.proowner <> ${owner}
    union all
    select 'type', t.oid::regtype::text from pg_type t
    where t.typnamespace = ${namespace} and t.typtype in ('e', 'd') and t.typowner <> ${owner}
  loop
    execute format('alter %s %s owner to ${role}', item.kind, item.name);
  end loop;
end $$`;
}

/** Lets roles log in, so that the account of a process has no privileges beyond its role. */
export async function giveLogins(
  pool: Pool,
  names: RoleNames,
  passwords: Readonly<Partial<Record<DatabaseRole, string>>>,
): Promise<void> {
  for (const role of databaseRoles) {
    const password = passwords[role];
    if (password === undefined) continue;
    const secret = escapeLiteral(scramSecret(password));
    await pool.query(`alter role ${escapeIdentifier(names[role])} with login password ${secret}`);
  }
}

/** Roles that can log in. */
export async function rolesWithLogin(pool: Pool, names: RoleNames): Promise<DatabaseRole[]> {
  const { rows } = await pool.query<{ name: string }>(
    'select rolname as name from pg_roles where rolcanlogin and rolname = any($1)',
    [Object.values(names)],
  );
  return databaseRoles.filter((role) => rows.some(({ name }) => name === names[role]));
}

/** The SCRAM verifier that Postgres stores (RFC 5803), so that no statement and no server log contains the password. */
function scramSecret(password: string, salt = randomBytes(16), iterations = 4096): string {
  const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest('base64');
  const serverKey = hmac(salted, 'Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
