import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOperator } from '@gatebook/gatebook/cli/operator';
import { runLine } from '@gatebook/gatebook/testing/run-line';
import { sized } from '@gatebook/runtime/testing/campaign';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { expect, test } from 'vitest';
import { fillLog } from '../bench/log-of-sign-ups.ts';
import { internalKeys, startProduct } from '../testing/product.ts';

const events = sized({ inTest: 1_000, inCampaign: 8_000 });
const witnesses = 30;
const people = 4;

type Answer = { status: number; isStale: boolean; body: Record<string, unknown> };
type Access = 'client' | 'server';

/**
 * Concurrent reads and writes over HTTP. `faults` has violations of the guarantees; `witnessed` has, for each of two
 * clients, the projection versions that its lists came from, in order. Answers to two clients have no order.
 */
function startLoad(url: string) {
  const faults: string[] = [];
  const witnessed: [string[], string[]] = [[], []];
  /** Answers that say that they may be stale, which a machine that pauses for seconds causes too. */
  const stale: string[] = [];
  const startedAt = performance.now();
  const counts = { answers: 0, writes: 0, reads: 0, signUps: 0 };
  let isOver = false;

  async function call(method: string, path: string, access: Access, body?: unknown, token?: string): Promise<Answer> {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        'x-stack-access-type': access,
        'x-stack-project-id': 'internal',
        ...(access === 'client'
          ? { 'x-stack-publishable-client-key': internalKeys.client }
          : { 'x-stack-secret-server-key': internalKeys.server }),
        ...(token === undefined ? {} : { 'x-stack-access-token': token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) faults.push(`${method} ${path} answered ${answer.status}: ${text.slice(0, 200)}`);
    const isStale = answer.headers.get('x-read-model') === 'behind';
    counts.answers += 1;
    if (isStale) stale.push(`${method} ${path} after ${Math.round(performance.now() - startedAt)} ms`);
    return { status: answer.status, isStale, body: answer.ok ? JSON.parse(text) : {} };
  }

  async function signUp(email: string): Promise<string> {
    const { body } = await call('POST', '/auth/password/sign-up', 'client', {
      email,
      password: 'rebuilt during traffic',
      verification_callback_url: `${url}/verify`,
    });
    counts.signUps += 1;
    return String(body.access_token);
  }

  /** Renames a user repeatedly and reads the name with client and server access. */
  async function rename(n: number): Promise<void> {
    const token = await signUp(`person${n}@traffic.example`);
    const id = String((await call('GET', '/users/me', 'client', undefined, token)).body.id);
    for (let turn = 0; !isOver; turn += 1) {
      const name = `Person ${n}, ${turn}`;
      await call('PATCH', '/users/me', 'client', { display_name: name }, token);
      counts.writes += 1;
      for (const read of [
        () => call('GET', '/users/me', 'client', undefined, token),
        () => call('GET', `/users/${id}`, 'server'),
      ]) {
        const { body, isStale } = await read();
        counts.reads += 1;
        if (!isStale && body.display_name !== name) faults.push(`wrote ${name}, read ${body.display_name}`);
      }
    }
  }

  /** Creates users, teams and members and reads each immediately. */
  async function join(): Promise<void> {
    for (let turn = 0; !isOver; turn += 1) {
      const email = `newcomer${turn}@traffic.example`;
      const token = await signUp(email);
      const me = await call('GET', '/users/me', 'client', undefined, token);
      if (!me.isStale && me.body.primary_email !== email)
        faults.push(`signed ${email} up, read ${me.body.primary_email}`);
      const team = await call('POST', '/teams', 'server', {
        display_name: `Team ${turn}`,
        creator_user_id: me.body.id,
      });
      const { body, isStale } = await call('GET', '/teams?user_id=me', 'client', undefined, token);
      const ids = (body.items as { id: string }[] | undefined)?.map(({ id }) => id);
      if (!isStale && !ids?.includes(String(team.body.id))) faults.push(`made team ${team.body.id}, read ${ids}`);
      counts.reads += 2;
    }
  }

  /** Checks that all rows of a list come from one projection version. */
  async function witness(versions: string[]): Promise<void> {
    while (!isOver) {
      const { body } = await call('GET', `/users?limit=${witnesses}&query=witness`, 'server');
      counts.reads += 1;
      const items = (body.items ?? []) as { server_metadata: { projectionVersion: string } }[];
      const seen = new Set(items.map(({ server_metadata }) => server_metadata.projectionVersion));
      if (items.length !== witnesses || seen.size !== 1) faults.push(`a list of ${items.length} from ${[...seen]}`);
      const [projectionVersion = ''] = seen;
      if (projectionVersion !== versions.at(-1)) versions.push(projectionVersion);
    }
  }

  return {
    call,
    faults,
    stale,
    witnessed,
    counts,
    start: () => {
      const working = [...Array.from({ length: people }, (_, n) => rename(n)), join(), ...witnessed.map(witness)];
      return async () => {
        isOver = true;
        await Promise.all(working);
      };
    },
  };
}

test('a rebuild, a promotion and a rollback under traffic cause no errors, no unmarked stale reads and no mixed lists', async () => {
  const [database, dataDir] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), 'gatebook-traffic-'))]);
  const env = {
    GATEBOOK_DATABASE_URL: database.url,
    GATEBOOK_MASTER_KEY: randomBytes(32).toString('base64'),
    GATEBOOK_DATA_DIR: dataDir,
    GATEBOOK_RATE_LIMITS: 'off',
    GATEBOOK_INTERNAL_SIGN_UP: 'open',
    GATEBOOK_LOG_LEVEL: 'warn',
  };
  const operator = await openOperator(env);
  try {
    await fillLog(operator.store, events);
    const product = await startProduct(env);
    try {
      const { call, faults, stale, witnessed, counts, start } = startLoad(product.url);
      for (let n = 0; n < witnesses; n += 1) {
        await call('POST', '/users', 'server', {
          display_name: `witness ${n}`,
          server_metadata: { projectionVersion: 'first' },
        });
      }
      const stopLoad = start();
      const isDone = (count: number, kind: keyof typeof counts) =>
        expect.poll(() => counts[kind]).toBeGreaterThan(count);
      await isDone(10, 'writes');

      const before = { ...counts };
      const rebuilt = await runLine('projections rebuild --json', { env });
      expect(rebuilt.code).toBe(0);
      const { projection_version: projectionVersion } = rebuilt.lines().at(-1);
      // Writes continued during the rebuild.
      expect(counts.writes - before.writes).toBeGreaterThan(20);

      // Marks the rows of the new projection version.
      await database.pool.query(
        `update ${projectionVersion}.users set server_metadata = '{"projectionVersion":"second"}' where server_metadata is not null`,
      );
      expect((await runLine('projections promote', { env })).code).toBe(0);
      await expect.poll(() => witnessed.map((versions) => versions.at(-1))).toEqual(['second', 'second']);
      await isDone(counts.writes + 20, 'writes');
      expect((await runLine('projections rollback', { env })).code).toBe(0);
      await expect.poll(() => witnessed.map((versions) => versions.at(-1))).toEqual(['first', 'first']);
      await isDone(counts.writes + 20, 'writes');

      // Both have all writes; they only differ in the rows changed above.
      const compared = await runLine('projections diff --json', { env });
      await stopLoad();
      expect(faults).toEqual([]);
      expect(stale.length, stale.join('\n')).toBeLessThan(counts.answers / 200);
      expect(witnessed).toEqual([
        ['first', 'second', 'first'],
        ['first', 'second', 'first'],
      ]);
      const [{ tables }] = compared.lines();
      const differing = tables.filter(({ first }: { first: unknown[] }) => first.length > 0);
      expect(differing).toEqual([
        expect.objectContaining({ table: 'users', changed: witnesses, only_live: 0, only_other: 0 }),
      ]);
      expect(counts.signUps).toBeGreaterThan(people);
    } finally {
      await product.stop();
    }
  } finally {
    await operator.close();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
