import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRunningPostgres } from '@gatebook/gatebook/embedded/postgres';
import { createPool } from '@gatebook/runtime/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { type Product, startProduct } from '../testing/product.ts';

const main = fileURLToPath(new URL('../../services/gatebook/src/main.ts', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await makePassableFolder('gatebook-start-');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A start that is expected to fail. @returns exit code and what it said */
async function failToStart(
  settings: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, said };
}

const isOneSentence = (said: string) =>
  said.trim().split('\n').length === 1 && said.startsWith('Gatebook does not start. ');

describe('a start', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({ GATEBOOK_DATA_DIR: join(folder, 'data') });
  });
  afterAll(() => product.stop());

  test('says where everything is and what to do next', () => {
    const text = product.printed.join('\n');
    for (const path of ['', '/api/v1', '/docs']) expect(text).toContain(`${product.url}${path}`);
    expect(text).toContain(join(folder, 'data'));
    expect(product.setupToken).toMatch(/^[0-9a-z]{45}$/);
  });

  test('serves the API, the reference and readiness', async () => {
    const readiness = async () => (await fetch(`${product.url}/health/ready`)).json();
    await expect.poll(readiness).toMatchObject({ status: 'ok', lag: 0 });
    expect((await fetch(`${product.url}/api/v1`)).status).toBe(200);
    expect((await fetch(`${product.url}/docs`)).status).toBe(200);
    expect(await (await fetch(`${product.url}/openapi.json`)).json()).toMatchObject({ openapi: '3.1.0' });
  });

  test('works on the database with three roles, and never as its owner', async () => {
    const running = await findRunningPostgres(join(folder, 'data', 'postgres'));
    const pool = createPool(running?.url('gatebook') ?? '', { max: 1, name: 'test' });
    const { rows } = await pool.query<{ account: string; isSuper: boolean }>(
      `select distinct usename as account, rolsuper as "isSuper" from pg_stat_activity
       join pg_roles on rolname = usename where datname = 'gatebook' and pid <> pg_backend_pid() order by 1`,
    );
    await pool.end();
    expect(rows).toEqual([
      { account: 'gatebook_api', isSuper: false },
      { account: 'gatebook_projector', isSuper: false },
      { account: 'gatebook_worker', isSuper: false },
    ]);
  });

  test('keeps its secrets for their owner alone', async () => {
    for (const file of ['master-key', 'internal-keys.json']) {
      expect((await stat(join(folder, 'data', file))).mode & 0o777).toBe(0o600);
    }
  });

  test('rejects a second one on the same data folder in one sentence', async () => {
    const { code, said } = await failToStart({ GATEBOOK_DATA_DIR: join(folder, 'data') });
    expect(code).toBe(1);
    expect(said).toMatch(/Another Gatebook \(process \d+\) uses the data folder/);
    expect(isOneSentence(said)).toBe(true);
  });
});

test('Ctrl-C stops everything, and the next start knows what the last one knew', async () => {
  const settings = { GATEBOOK_DATA_DIR: join(folder, 'again') };
  const first = await startProduct(settings);
  expect(await first.stop()).toBe(0);
  await expect(fetch(`${first.url}/health`)).rejects.toThrow();
  const second = await startProduct(settings);
  expect((await fetch(`${second.url}/health/ready`)).status).toBe(200);
  expect(await second.stop()).toBe(0);
});

test('kill -9 leaves an orphaned database, which the next start takes over', async () => {
  const settings = { GATEBOOK_DATA_DIR: join(folder, 'orphan') };
  const first = await startProduct(settings);
  const exited = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await exited;
  const second = await startProduct(settings);
  expect((await fetch(`${second.url}/health/ready`)).status).toBe(200);
  expect(await second.stop()).toBe(0);
});

describe('in one sentence, with exit code 1, a start rejects', () => {
  test('a faulty configuration', async () => {
    const { code, said } = await failToStart({ GATEBOOK_PORT: 'eighty', GATEBOOK_MASTER_KEY: 'short' });
    expect(code).toBe(1);
    expect(said).toMatch(/GATEBOOK_PORT.*GATEBOOK_MASTER_KEY/s);
    expect(isOneSentence(said)).toBe(true);
  });

  test('a part of it that there is not', async () => {
    const { code, said } = await failToStart({}, 'apy');
    expect(code).toBe(1);
    expect(said).toContain('all, api, projector, worker');
    expect(isOneSentence(said)).toBe(true);
  });

  test('a part of it that lacks what its peers have', async () => {
    const { code, said } = await failToStart({ GATEBOOK_PUBLIC_URL: 'https://auth.example.com' }, 'worker');
    expect(code).toBe(1);
    expect(said).toContain('GATEBOOK_DATABASE_URL is required for role worker; GATEBOOK_MASTER_KEY');
    expect(said).not.toContain('GATEBOOK_PUBLIC_URL');
    expect(isOneSentence(said)).toBe(true);
  });

  test('a data folder that is not one', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const { code, said } = await failToStart({ GATEBOOK_DATA_DIR: join(file, 'data') });
    expect(code).toBe(1);
    expect(said).toContain(`The data folder ${join(file, 'data')} can't be written to`);
    expect(isOneSentence(said)).toBe(true);
  });

  test('a busy port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { code, said } = await failToStart({ GATEBOOK_DATA_DIR: join(folder, 'busy'), GATEBOOK_PORT: String(port) });
    other.close();
    expect(code).toBe(1);
    expect(said).toContain('port');
    expect(isOneSentence(said)).toBe(true);
  });

  test('a database that is away', async () => {
    await mkdir(join(folder, 'away'), { recursive: true });
    const { code, said } = await failToStart({
      GATEBOOK_DATA_DIR: join(folder, 'away'),
      GATEBOOK_DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
      GATEBOOK_LOG_LEVEL: 'silent',
    });
    expect(code).toBe(1);
    expect(said).toContain("GATEBOOK_DATABASE_URL can't be reached");
    expect(isOneSentence(said)).toBe(true);
  });

  test('a master key that is not that of the data', async () => {
    const settings = { GATEBOOK_DATA_DIR: join(folder, 'wrong-key') };
    await (await startProduct(settings)).stop();
    const { code, said } = await failToStart({
      ...settings,
      GATEBOOK_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    });
    expect(code).toBe(1);
    expect(said).toContain('master key');
    expect(isOneSentence(said)).toBe(true);
  });
});
