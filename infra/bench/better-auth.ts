import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createPasswordHasher } from '@gatebook/commands/password/password-hashing';
import { createPool } from '@gatebook/runtime/postgres';
import type { Bench } from './bench.ts';
import { compare, type Processes, type Side } from './compare.ts';
import { type Call, callInTurn, type Origin, originOf, sendOnce } from './load.ts';
import { startProcess } from './processes.ts';
import type { Aim, Result } from './report.ts';
import { sideOf } from './requests.ts';
import { type Route, type RouteName, routes } from './routes.ts';
import { password, type World } from './world.ts';

const version = '1.7.5';
const callers = 32;
const pageSize = 50;
const rowsAtOnce = 10_000;

type Other = Processes & { origin: Origin; cookie: string; stop(): Promise<void> };

/** Sign-ins and lists beside Better Auth, which is installed for this part alone. */
export async function benchBetterAuth(bench: Bench): Promise<Result[]> {
  const world = await bench.world();
  const folder = await mkdtemp(join(tmpdir(), 'gatebook-better-auth-'));
  try {
    const other = await start(folder, await bench.freshDatabase('better_auth'), world);
    try {
      const measure = async (name: RouteName, nextCall: () => Call, aim: Aim): Promise<Result> => {
        const route: Route = routes[name];
        const load: Side['load'] = (count, ms) => callInTurn({ origin: other.origin, nextCall }, count, ms);
        const { rate, cpu } = await compare(
          sideOf(world.gatebook, route, world),
          { ...other, load },
          callers,
          bench.pace,
        );
        const referenceName = `Better Auth ${version}`;
        return { name: `${route.name}, ${callers} callers`, ...rate, referenceName, unit: '/s', cpu, aim };
      };
      const middle = Math.floor(world.people.ids.length / 2);
      return [
        await measure('sign-in', signIns(world), { ratio: 1.25 }),
        await measure('list-first', lists(other, 0), { ratio: 15 }),
        await measure('list-middle', lists(other, middle), { ratio: 15 }),
      ];
    } finally {
      await other.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Better Auth rejects calls without an origin that it trusts. */
const headers = { 'content-type': 'application/json', origin: 'http://127.0.0.1:3000' };

const signIn = (email: string): Call => ({
  method: 'POST',
  path: '/sign-in/email',
  headers,
  body: JSON.stringify({ email, password }),
});

function signIns({ people: { emails } }: World): () => Call {
  let n = 0;
  return () => {
    n += 1;
    return signIn(emails[n % Math.min(emails.length, 500)] ?? '');
  };
}

const lists =
  ({ cookie }: Other, offset: number) =>
  (): Call => ({
    method: 'GET',
    path: `/admin/list-users?limit=${pageSize}&offset=${offset}&sortBy=createdAt&sortDirection=asc`,
    headers: { cookie },
  });

async function start(folder: string, databaseUrl: string, world: World): Promise<Other> {
  process.stderr.write(`  installing better-auth@${version} …\n`);
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `better-auth@${version}`];
  await promisify(execFile)('npm', install, { cwd: folder });
  const file = join(folder, 'better-auth-server.mjs');
  await copyFile(new URL('better-auth-server.mjs', import.meta.url), file);
  const { ids, emails } = world.people;
  const libraries = ['pg', '@node-rs/argon2'].map((name) => import.meta.resolve(name));
  const args = [databaseUrl, ...libraries, ids[0] ?? ''];
  const started = await startProcess(pathToFileURL(file), args, {}, (line) => line.startsWith('{'));
  try {
    await addUsers(databaseUrl, world);
    const origin = originOf(`http://127.0.0.1:${(JSON.parse(started.line) as { port: number }).port}/api/auth`);
    const { token } = JSON.parse((await sendOnce(origin, signIn(emails[0] ?? ''))).body) as { token: string };
    const cookie = await cookieOf(origin, emails[0] ?? '');
    if (!token || !cookie) throw new Error('the admin could not sign in');
    const other = {
      ...{ pid: started.child.pid ?? 0, postmaster: world.gatebook.postmaster },
      ...{ origin, cookie, stop: started.stop },
    };
    await checkList(other, ids.length);
    return other;
  } catch (error) {
    await started.stop();
    throw error;
  }
}

async function cookieOf({ host, port, prefix }: Origin, email: string): Promise<string> {
  const { path, body = '' } = signIn(email);
  const answer = await fetch(`http://${host}:${port}${prefix}${path}`, { method: 'POST', headers, body });
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
}

async function checkList(other: Other, users: number): Promise<void> {
  const { body } = await sendOnce(other.origin, lists(other, 0)());
  const page = JSON.parse(body) as { users: unknown[]; total: number };
  if (page.users.length !== Math.min(pageSize, users) || page.total !== users) throw new Error('wrong list of users');
}

/** The same users with the same password, as a sign-up of Better Auth stores them. */
async function addUsers(databaseUrl: string, { people: { ids, emails } }: World): Promise<void> {
  const pool = createPool(databaseUrl, { max: 1, name: 'bench rows', isForLongWork: true });
  try {
    const passwordHash = await (await createPasswordHasher()).hash(password);
    for (let n = 0; n < ids.length; n += rowsAtOnce) {
      const rows = [ids.slice(n, n + rowsAtOnce), emails.slice(n, n + rowsAtOnce)];
      await pool.query(
        `with person as (select id, email from unnest($1::text[], $2::text[]) as p(id, email)),
           added as (insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt", role)
             select id, email, email, true, now() + row_number() over () * interval '1 ms', now(), 'user' from person)
         insert into account (id, "accountId", "providerId", "userId", password, "createdAt", "updatedAt")
         select id, id, 'credential', id, $3, now(), now() from person`,
        [...rows, passwordHash],
      );
    }
    await pool.query('vacuum analyze');
  } finally {
    await pool.end();
  }
}
