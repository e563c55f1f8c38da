import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDataFolder } from '../testing/passable-folder.ts';
import { startProduct } from '../testing/product.ts';

let folder: string;
let env: Record<string, string>;
beforeEach(async () => {
  folder = await makeDataFolder('gatebook-operators-');
  env = { GATEBOOK_DATA_DIR: join(folder, 'data') };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const main = fileURLToPath(new URL('../../services/gatebook/src/cli/main.ts', import.meta.url));

/** Starts the command line in a new process, as people do. */
function start(line: string) {
  const child = spawn(process.execPath, [main, ...line.split(' ')], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output, errors }));
  return { child, ended, output: () => output };
}
const run = (line: string) => start(line).ended;

/** Process ID of the Postgres in the data folder; null when none runs. */
async function postgresPid(): Promise<number | null> {
  const moved = await readFile(join(folder, 'data/postgres/moved-to'), 'utf8').catch(() => '');
  const cluster = join(moved.trim() || join(folder, 'data/postgres'), 'cluster');
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  return Number(text.split('\n')[0]) || null;
}

test('commands of operators use the database of a running server or start it themselves', async () => {
  expect(await run('projections list')).toMatchObject({
    code: 1,
    errors: expect.stringContaining('no Gatebook in'),
  });

  const product = await startProduct(env);
  const running = await postgresPid();
  const databaseCheckIn = ({ output }: { output: string }) =>
    JSON.parse(output).checks.find(({ name }: { name: string }) => name === 'database');
  const served = await run('doctor --json');
  expect(served.code).toBe(0);
  expect(databaseCheckIn(served).finding).toContain('embedded, of the running server');
  expect(
    JSON.parse((await run('projections rebuild --promote --json')).output.trim().split('\n').at(-1) ?? ''),
  ).toMatchObject({
    event: 'promoted',
  });
  expect(await postgresPid()).toBe(running);

  // Ctrl-C stops a command that follows the log, but not the server.
  const tailing = start('events tail --last 1 --json');
  await expect.poll(tailing.output).toContain('"position"');
  tailing.child.kill('SIGINT');
  expect((await tailing.ended).code).toBe(0);
  expect(await postgresPid()).toBe(running);
  expect(await product.stop()).toBe(0);

  const alone = await run('doctor --json');
  expect(databaseCheckIn(alone).finding).toContain('started for this check');
  expect(await postgresPid()).toBeNull();

  // While a command holds the data folder a server can't start, because it would take over the database.
  const holding = start('events tail --last 1 --json');
  await expect.poll(holding.output).toContain('"position"');
  await expect(startProduct(env)).rejects.toThrow('uses the data folder');
  holding.child.kill('SIGINT');
  expect((await holding.ended).code).toBe(0);
  expect(await postgresPid()).toBeNull();
  expect(await (await startProduct(env)).stop()).toBe(0);
});
