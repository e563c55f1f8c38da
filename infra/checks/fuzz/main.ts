import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { OpenApi } from '../../docs/openapi-document.ts';
import { makePassableFolder } from '../../testing/passable-folder.ts';
import { startProduct } from '../../testing/product.ts';
import { skippedOperations } from './operations.ts';
import { fuzz } from './run.ts';
import { makeWorld } from './world.ts';

/**
 * `npm run fuzz -- [--requests 20000] [--seed 1]`: starts Gatebook on a free port with a new data folder and sends it
 * malformed requests. Fails on any 5xx, on a response that takes longer than five seconds, and if Gatebook exits.
 */
const { values } = parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } });
const requests = Number(values.requests ?? 20_000);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!Number.isSafeInteger(requests) || requests < 1 || !Number.isSafeInteger(seed)) {
  process.stderr.write('usage: npm run fuzz -- [--requests N] [--seed N]\n');
  process.exit(1);
}
const print = (line: string) => process.stdout.write(`${line}\n`);

print(`${requests} requests, seed ${seed}`);
for (const [operation, reason] of Object.entries(skippedOperations)) print(`skipped: ${operation} (${reason})`);
const folder = await makePassableFolder('gatebook-fuzz-');
const product = await startProduct({
  GATEBOOK_DATA_DIR: join(folder, 'data'),
  GATEBOOK_RATE_LIMITS: 'off',
  GATEBOOK_LOG_LEVEL: 'error',
});
const begun = performance.now();
const { sent, statuses, leastPerOperation, slowestMs, ...report } = await fuzz({
  url: product.url,
  document: (await (await fetch(`${product.url}/openapi.json`)).json()) as OpenApi,
  makeWorld: (name) => makeWorld(product.url, name),
  isAlive: () => product.child.exitCode === null && product.child.signalCode === null,
  requests,
  seed,
  progress: (count) => print(`${count} requests sent`),
});
const seconds = (performance.now() - begun) / 1000;
const faults = [...report.faults];
const exitCode = await product.stop();
if (exitCode !== 0) faults.push(`Gatebook exited with code ${exitCode} on shutdown`);
await rm(folder, { recursive: true, force: true });

for (const [status, count] of [...statuses].sort(([one], [other]) => one - other)) print(`${status}: ${count}`);
print(
  `${sent} requests in ${seconds.toFixed(1)} s, at least ${leastPerOperation} per operation, slowest response ${slowestMs.toFixed(0)} ms`,
);
for (const fault of faults) print(`fault: ${fault}`);
print(`${sent - Math.min(sent, faults.length)} passed, ${faults.length} failed`);
process.exit(faults.length === 0 ? 0 : 1);
