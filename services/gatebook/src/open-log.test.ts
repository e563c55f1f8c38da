import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '@gatebook/eventlog/eventstoredb/simulator';
import { NO_STREAM } from '@gatebook/eventlog/port';
import { createLogger } from '@gatebook/runtime/logger';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareDatabase } from './database/prepare.ts';
import { StartError } from './embedded/data-folder.ts';
import { openLog } from './open-log.ts';

const logger = createLogger({ level: 'silent' });
const users = {
  gatebook: { password: 'right', mayReadAll: true },
  stranger: { password: 'right', mayReadAll: false },
};
const masterKey = randomBytes(32);

let folder: string;
let database: TestDatabase;
let secure: Simulator;
let plain: Simulator;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatebook-tls-'));
  database = await testDatabase();
  await prepareDatabase(database.url, { rolePrefix: null });
  const tls = await issueCertificate('server');
  await issueCertificate('another');
  [secure, plain] = await Promise.all([startSimulator({ tls, users }), startSimulator()]);
});
afterAll(async () => {
  await Promise.all([secure.close(), plain.close(), database.close()]);
  await rm(folder, { recursive: true });
});

/** A self-signed certificate is its own authority. */
async function issueCertificate(name: string): Promise<{ key: string; cert: string }> {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files], {
    stdio: 'ignore',
  });
  return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
}

async function open(url: string, streamPrefix = '') {
  const shutdown = createShutdown(logger);
  const settings = { databaseUrl: database.url, eventStore: { url, streamPrefix }, masterKey, logger, shutdown };
  try {
    return { ...(await openLog(settings)), close: () => shutdown.run() };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}
const at = ({ port }: Simulator, login: string, options: string) => `esdb://${login}@127.0.0.1:${port}?${options}`;
const trusting = (name: string) => `tlsCaFile=${join(folder, `${name}.pem`)}`;

test('the log opens with TLS, a user and a stream prefix', async () => {
  const { store, close } = await open(at(secure, 'gatebook:right', trusting('server')), 'gatebook_');
  const metadata = { projectId: 'p', actor: { kind: 'system', id: null }, requestId: 'r', correlationId: 'r' } as const;
  const data = { userId: '00000000-0000-4000-8000-000000000001', at: '2026-01-15T12:00:00.000Z' };
  const events = [{ type: 'UserExported', data }];
  await store.append([{ stream: 'user-1', expected: NO_STREAM, events }], { ...metadata, causationId: null });
  expect(await store.readAll(0n, 10)).toMatchObject([{ stream: 'user-1', data }]);
  expect(secure.events().map(({ stream }) => stream)).toContain('gatebook_user-1');
  await close();
});

test.each([
  ['a wrong password', () => at(secure, 'gatebook:wrong', trusting('server')), 'rejects the user name or password'],
  ['a user without rights on $all', () => at(secure, 'stranger:right', trusting('server')), 'may not read $all'],
  ['the certificate of another authority', () => at(secure, 'gatebook:right', trusting('another')), 'is not trusted'],
  ['a missing certificate', () => at(secure, 'gatebook:right', trusting('missing')), 'tlsCaFile'],
  ['TLS to a server without it', () => at(plain, 'gatebook:right', 'tls=true'), 'does not use TLS'],
])('%s is an error at the start that names the cause', async (_, url, sentence) => {
  const opening = open(url());
  await expect(opening).rejects.toBeInstanceOf(StartError);
  await expect(opening).rejects.toThrow(sentence);
});
