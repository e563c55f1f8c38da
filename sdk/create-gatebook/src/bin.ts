#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createApp, isTemplateName, nextSteps, templates } from './index.ts';

const usage = `npm create gatebook FOLDER -- --template ${Object.keys(templates).join('|')}`;

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { template: { type: 'string', short: 't' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const folder = positionals[0] ?? (await ask('Folder of the new app: '));
  const list = Object.entries(templates).map(([name, { title }]) => `  ${name}  ${title}\n`);
  const template = values.template ?? (await ask(`${list.join('')}Template: `));
  if (folder === '' || !isTemplateName(template)) throw new Error(`Usage: ${usage}`);
  await createApp({
    folder,
    template,
    source: fileURLToPath(new URL('./templates/', import.meta.url)),
    version: await readVersion(),
  });
  console.log(
    `Created ${folder}. Create a project in Gatebook, and run the app with its ID:\n\n${nextSteps(folder, template)}`,
  );
}

/** Empty where nobody can answer. */
async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) return '';
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}

async function readVersion(): Promise<string> {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
