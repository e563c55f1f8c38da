import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { download } from './packages.ts';
import { reportDifference } from './report.ts';
import { surfaceOf } from './surface.ts';

const [older, newer] = process.argv.slice(2);
if (older === undefined || newer === undefined) {
  console.error('Usage: npm run clients:diff -- OLDER NEWER, for example 2.8.77 2.8.108');
  process.exit(1);
}

const folder = await mkdtemp(join(tmpdir(), 'gatebook-clients-'));
try {
  const versions = await Promise.all([older, newer].map((version) => download(version, folder)));
  const [before, after] = await Promise.all(versions.map(surfaceOf));
  if (before && after) console.log(`@stackframe/js ${older} → ${newer}\n\n${reportDifference(before, after)}`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
