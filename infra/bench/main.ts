import { parseArgs } from 'node:util';
import { openBench } from './bench.ts';
import { parts } from './parts.ts';
import { closingLine, judge, type Result, toTable } from './report.ts';

const help = `npm run bench -- [part …] [--users 100000] [--quick]

Measures Gatebook beside references in one run and prints a table. Parts: ${Object.keys(parts).join(', ')}.
--quick measures for an instant: to see that everything runs.
`;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    users: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    'slice-ms': { type: 'string', default: '1000' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !(name in parts));
if (values.help || unknown.length > 0) {
  process.stdout.write(unknown.length > 0 ? `Unknown: ${unknown.join(', ')}\n${help}` : help);
  process.exit(unknown.length > 0 ? 1 : 0);
}
const bench = await openBench(
  values.quick
    ? { users: 300, pace: { rounds: 1, sliceMs: 100 }, scale: 0.02 }
    : {
        users: Number(values.users),
        pace: { rounds: Number(values.rounds), sliceMs: Number(values['slice-ms']) },
        scale: 1,
      },
);
const results: Result[] = [];
try {
  for (const [name, part] of Object.entries(parts)) {
    if (positionals.length > 0 ? !positionals.includes(name) : part.isOnlyByName) continue;
    process.stderr.write(`${name} …\n`);
    if (!part.usesWorld) await bench.endWorld();
    const measured = await part.run(bench);
    for (const result of measured) process.stderr.write(`  ${judge(result)}: ${result.name}\n`);
    results.push(...measured);
  }
} finally {
  await bench.close();
}
process.stdout.write(`${toTable(results)}\n\n${closingLine(results)}\n`);
