import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openBench, quick } from './bench.ts';
import { currentSetting, replaceSection, toSection } from './document.ts';
import { parts, sectionsOf } from './parts.ts';
import { profileRoute } from './profile.ts';
import { closingLine, judge, type Result, toTable } from './report.ts';
import { routes } from './routes.ts';

const help = `npm run bench -- [part …] [--users 100000] [--rounds 5] [--slice-ms 1000] [--sizes 1000,10000] [--scale 1] [--rejections 500000] [--quick] [--no-write]
npm run bench -- --profile ROUTE

Measures Gatebook beside references in one run, prints a table and writes it to docs/benchmarks.md. Without names it runs
everything that has an aim, except for the growth table. Parts: ${Object.keys(parts).join(', ')}.
--profile says where the CPU of one route goes: ${Object.keys(routes).join(', ')}.
--scale 0.1 measures a tenth of the events, streams and emails, and writes nothing.
--rejections 10000000 deletes that many in the part failed-sign-ins.
--quick measures for an instant and writes nothing, to see that everything runs.
`;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    users: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    'slice-ms': { type: 'string', default: '1000' },
    sizes: { type: 'string', default: '1000,10000,100000,1000000' },
    scale: { type: 'string', default: '1' },
    rejections: { type: 'string' },
    profile: { type: 'string' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: true },
    help: { type: 'boolean', default: false },
  },
});
const docs = new URL('../../docs/benchmarks.md', import.meta.url);
const costs = new URL('measured.json', import.meta.url);

const settings = values.quick
  ? quick
  : {
      users: count(values.users),
      sizes: values.sizes.split(',').map(count),
      pace: { rounds: count(values.rounds), sliceMs: count(values['slice-ms']) },
      scale: Number(values.scale),
      rejections: values.rejections === undefined ? undefined : count(values.rejections),
    };
const unknown = positionals.filter((name) => !(name in parts));
if (values.help) process.stdout.write(help);
else if (unknown.length > 0) {
  process.stderr.write(`Unknown: ${unknown.join(', ')}\n${help}`);
  process.exitCode = 1;
} else if (values.profile !== undefined) process.stdout.write(await profileRoute(values.profile, settings));
else await measure();

async function measure(): Promise<void> {
  const bench = await openBench(settings);
  // The servers would go on without this process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void bench.close().finally(() => process.exit(1)));
  }
  const results = new Map<string, Result[]>();
  const unmeasured: Result[] = [];
  try {
    for (const [name, part] of Object.entries(parts)) {
      const isNamed = [name, part.with].some((one) => one !== undefined && positionals.includes(one));
      if (positionals.length > 0 ? !isNamed : part.isOnlyByName) continue;
      process.stderr.write(`${name} …\n`);
      if (!part.usesWorld) await bench.endWorld();
      try {
        const measured = await part.run(bench);
        for (const result of measured) process.stderr.write(`  ${judge(result)}: ${result.name}\n`);
        results.set(name, measured);
      } catch (error) {
        // The others are worth measuring.
        process.stderr.write(`  not measured: ${(error as Error).stack}\n`);
        unmeasured.push({ name: `${name}: not measured`, gatebook: Number.NaN, unit: '', aim: null });
        process.exitCode = 1;
      }
    }
  } finally {
    await bench.close();
  }
  const all = [...[...results.values()].flat(), ...unmeasured];
  process.stdout.write(`${toTable(all)}\n\n${closingLine(all)}\n`);
  if (values.write && settings.scale === 1) await write(results, bench.costs);
}

/** Writes the sections of which all parts were measured. */
async function write(results: ReadonlyMap<string, Result[]>, measuredCosts: object): Promise<void> {
  const setting = currentSetting(settings.users);
  for (const [section, names] of sectionsOf()) {
    if (!names.every((name) => results.has(name))) continue;
    const rows = names.flatMap((name) => results.get(name) ?? []);
    const content = toSection(setting, toTable(rows), closingLine(rows));
    await writeFile(docs, replaceSection(await readFile(docs, 'utf8'), section, content));
    if (section === 'aims') await writeFile(costs, `${JSON.stringify({ ...setting, ...measuredCosts }, null, 2)}\n`);
  }
}

/** @throws TypeError for anything but a whole number */
function count(text: string): number {
  if (/^\d{1,8}$/.test(text)) return Number(text);
  throw new TypeError(`"${text}" must be a whole number`);
}
