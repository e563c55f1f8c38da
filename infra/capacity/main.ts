import { readFile, writeFile } from 'node:fs/promises';
import type { Costs } from '../bench/bench.ts';
import { replaceSection, type Setting } from '../bench/document.ts';
import { toCostTable } from './costs.ts';
import { costRows, growthTable, machineTable } from './tables.ts';

/** `npm run capacity`: computes the tables of docs/capacity.md from what `npm run bench` measured. */
const measured = new URL('../bench/measured.json', import.meta.url);
const docs = new URL('../../docs/capacity.md', import.meta.url);

const { date, commit, machine, ...costs } = JSON.parse(await readFile(measured, 'utf8')) as Costs & Setting;
const table = toCostTable(costs);
const sections = {
  costs: `Measured on ${date} at commit ${commit}: ${machine}.\n\n${costRows(table)}`,
  machines: machineTable(table),
  growth: growthTable(table),
};
let text = await readFile(docs, 'utf8');
for (const [section, content] of Object.entries(sections)) {
  text = replaceSection(text, section, content);
  process.stdout.write(`${content}\n\n`);
}
await writeFile(docs, text);
