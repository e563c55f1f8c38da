import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDatabase, startEmbeddedPostgres } from '@gatebook/gatebook/embedded/postgres';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { benchAppend } from './append.ts';
import { benchChecksums } from './checksums.ts';
import { benchReads } from './http.ts';
import { benchLists } from './lists.ts';
import { benchMail } from './mail.ts';
import { startBenchProduct } from './product.ts';
import { benchRebuild } from './rebuild.ts';
import { benchRebuildUnderTraffic } from './rebuild-under-traffic.ts';
import { type Result, table } from './report.ts';
import { benchSignIn } from './sign-in.ts';
import { benchStart } from './start.ts';
import { benchStreams } from './streams.ts';
import { benchVisible } from './visible.ts';

/**
 * `npm run bench`: measures every figure and its reference in one run. `-- --write` writes the table to
 * docs/benchmarks.md; other arguments are the names of benchmarks to run.
 */
const words = process.argv.slice(2);
const wanted = words.filter((word) => !word.startsWith('--'));
const document = new URL('../../docs/benchmarks.md', import.meta.url);

const folder = await makePassableFolder('gatebook-bench-');
const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });

async function freshDatabase(name: string): Promise<string> {
  await ensureDatabase(server, name);
  return server.url(name);
}

async function benchProduct(): Promise<Result[]> {
  const product = await startBenchProduct(await freshDatabase('product'));
  try {
    return [...(await benchReads(product, await freshDatabase('bare'))), await benchSignIn(product)];
  } finally {
    await product.stop();
  }
}

const benches: Readonly<Record<string, () => Promise<Result[]>>> = {
  append: async () => benchAppend(await freshDatabase('append')),
  streams: async () => benchStreams(await freshDatabase('streams')),
  http: benchProduct,
  rebuild: async () => [await benchRebuild(await freshDatabase('rebuild'))],
  checksums: async () => benchChecksums(await freshDatabase('checksums')),
  traffic: async () => benchRebuildUnderTraffic(await freshDatabase('traffic')),
  lists: () => benchLists(freshDatabase),
  mail: async () => benchMail(await freshDatabase('mail')),
  start: () => benchStart(),
  visible: async () => benchVisible(await freshDatabase('visible')),
};

const results: Result[] = [];
try {
  for (const [name, run] of Object.entries(benches)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    process.stderr.write(`${name} …\n`);
    results.push(...(await run()));
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(`${table(results)}\n`);
if (words.includes('--write')) {
  const text = await readFile(document, 'utf8');
  await writeFile(document, text.replace(/\| Benchmark[\s\S]*?\n(?!\|)/, `${table(results)}\n`));
}
