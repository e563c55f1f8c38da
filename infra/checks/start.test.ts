import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRunningPostgres } from '@gatebook/gatebook/embedded/postgres';
import { createPool } from '@gatebook/runtime/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataFolder } from '../testing/passable-folder.ts';
import { npmStart, type Product, startProduct } from '../testing/product.ts';

const main = fileURLToPath(new URL('../../services/gatebook/src/main.ts', import.meta.url));

let folder: string;
/** Of the first start; later tests start on its data. */
let settings: { GATEBOOK_DATA_DIR: string };
beforeAll(async () => {
  folder = await makeDataFolder('gatebook-start-');
  settings = { GATEBOOK_DATA_DIR: join(folder, 'data') };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a start that is expected to fail. @returns the exit code and standard error */
async function failToStart(
  settings: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; message: string }> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let message = '';
  child.stderr.on('data', (chunk: Buffer) => {
    message += chunk.toString();
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, message };
}

/** Less than the worker waits for read models. */
const slowestStopMs = 8000;
const oneLine = /^Gatebook could not start\. .+\n$/;

describe('npm start', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct(settings);
  });
  afterAll(() => product.stop());

  test('a start prints its URLs and the next step', () => {
    const text = product.printed.join('\n');
    for (const path of ['', '/api/v1', '/docs']) expect(text).toContain(`${product.url}${path}`);
    expect(text).toContain(join(folder, 'data'));
    expect(product.setupToken).toMatch(/^[0-9a-z]{45}$/);
  });

  test('a start serves the API, the reference and readiness', async () => {
    const readiness = async () => (await fetch(`${product.url}/health/ready`)).json();
    await expect.poll(readiness).toMatchObject({ status: 'ok', lag: 0 });
    expect((await fetch(`${product.url}/api/v1`)).status).toBe(200);
    expect((await fetch(`${product.url}/docs`)).status).toBe(200);
    expect(await (await fetch(`${product.url}/openapi.json`)).json()).toMatchObject({ openapi: '3.1.0' });
  });

  test('a first start logs neither warnings nor errors', () => {
    // A machine that pauses for a second causes the exception.
    const isOfMachine = (line: string) => line.includes('reading the head of the log took more than');
    expect(product.logged.filter((line) => !isOfMachine(line))).toEqual([]);
  });

  test('a start uses the database with three roles and never as its owner', async () => {
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

  test('files with secrets are readable only by their owner', async () => {
    for (const file of ['master-key', 'internal-keys.json']) {
      expect((await stat(join(folder, 'data', file))).mode & 0o777).toBe(0o600);
    }
  });

  test('a second start on the same data folder is rejected', async () => {
    const { code, message } = await failToStart(settings);
    expect(code).toBe(1);
    expect(message).toMatch(/Another Gatebook \(process \d+\) uses the data folder/);
    expect(message).toMatch(oneLine);
  });

  test('Ctrl-C stops all processes, as does SIGTERM to npm, and the next start has the same data', async () => {
    expect(await product.stop()).toBe(0);
    await expect(fetch(`${product.url}/health`)).rejects.toThrow();
    const second = await startProduct(settings, npmStart);
    expect((await fetch(`${second.url}/health/ready`)).status).toBe(200);
    // A container runtime or systemd signals only the process that it started.
    second.child.kill('SIGTERM');
    await once(second.child, 'exit');
    await expect.poll(() => fetch(`${second.url}/health`).catch(() => 'stopped'), { timeout: 20_000 }).toBe('stopped');
    await expect.poll(() => findRunningPostgres(join(folder, 'data', 'postgres')), { timeout: 20_000 }).toBeNull();
  });
});

test('a start after kill -9 stops the orphaned database and uses its data', async () => {
  const first = await startProduct(settings);
  const exited = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await exited;
  const second = await startProduct(settings);
  expect((await fetch(`${second.url}/health/ready`)).status).toBe(200);
  const stoppedAt = performance.now();
  expect(await second.stop()).toBe(0);
  expect(performance.now() - stoppedAt).toBeLessThan(slowestStopMs);
});

describe('a start fails with one line and exit code 1', () => {
  test('a start fails for an invalid configuration', async () => {
    const { code, message } = await failToStart({ GATEBOOK_PORT: 'eighty', GATEBOOK_MASTER_KEY: 'short' });
    expect(code).toBe(1);
    expect(message).toMatch(/GATEBOOK_PORT.*GATEBOOK_MASTER_KEY/s);
    expect(message).toMatch(oneLine);
  });

  test('a start fails for an unknown role', async () => {
    const { code, message } = await failToStart({}, 'apy');
    expect(code).toBe(1);
    expect(message).toContain('all, api, projector, worker');
    expect(message).toMatch(oneLine);
  });

  test('a start fails for a role without the settings it shares with others', async () => {
    const { code, message } = await failToStart({ GATEBOOK_PUBLIC_URL: 'https://auth.example.com' }, 'worker');
    expect(code).toBe(1);
    expect(message).toContain('GATEBOOK_DATABASE_URL is required for role worker; GATEBOOK_MASTER_KEY');
    expect(message).not.toContain('GATEBOOK_PUBLIC_URL');
    expect(message).toMatch(oneLine);
  });

  test('a start fails if the data folder is a file', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const { code, message } = await failToStart({ GATEBOOK_DATA_DIR: join(file, 'data') });
    expect(code).toBe(1);
    expect(message).toContain(`The data folder ${join(file, 'data')} can't be written to`);
    expect(message).toMatch(oneLine);
  });

  test('a start fails if its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { code, message } = await failToStart({ ...settings, GATEBOOK_PORT: String(port) });
    other.close();
    expect(code).toBe(1);
    expect(message).toContain('port');
    expect(message).toMatch(oneLine);
  });

  test('a start fails if the database is unreachable', async () => {
    await mkdir(join(folder, 'away'), { recursive: true });
    const { code, message } = await failToStart({
      GATEBOOK_DATA_DIR: join(folder, 'away'),
      GATEBOOK_DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
      GATEBOOK_LOG_LEVEL: 'silent',
    });
    expect(code).toBe(1);
    expect(message).toContain('Could not connect to the database at GATEBOOK_DATABASE_URL');
    expect(message).toMatch(oneLine);
  });

  test('a start fails with another master key than that of the data', async () => {
    const { code, message } = await failToStart({
      ...settings,
      GATEBOOK_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    });
    expect(code).toBe(1);
    expect(message).toContain('master key');
    expect(message).toMatch(oneLine);
  });
});
