import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeDataFolder } from '../testing/passable-folder.ts';
import { startProduct } from '../testing/product.ts';

const main = fileURLToPath(new URL('../../services/gatebook/src/main.ts', import.meta.url));
const hooks = fileURLToPath(new URL('../testing/loaded-modules.mjs', import.meta.url));

/** What only some requests, emails or configurations need. Each would add up to half a second to every start. */
const late = [
  ...['react', 'react-dom', '@react-email/[^/]+', 'prismjs', 'html-to-text', 'tailwindcss', 'marked'],
  ...[
    'oidc-provider',
    'koa',
    '@scalar/[^/]+',
    'fastify-type-provider-zod',
    'ajv',
    '@fastify/fast-json-stringify-compiler',
  ],
  ...['@simplewebauthn/[^/]+', '@peculiar/[^/]+', 'bcryptjs', 'postal-mime', 'nodemailer/dist/esm/smtp-pool'],
  ...['@eventstore/[^/]+', '@grpc/[^/]+', '@opentelemetry/[^/]+', 'prom-client', 'commander'],
];
const latePackage = new RegExp(`/node_modules/(${late.join('|')})/`);

test('a start loads nothing that only some requests, emails or configurations need', async () => {
  const folder = await makeDataFolder('gatebook-start-modules-');
  const file = join(folder, 'loaded.json');
  try {
    const settings = { GATEBOOK_DATA_DIR: join(folder, 'data'), LOADED_MODULES: file };
    const product = await startProduct(settings, [process.execPath, '--import', hooks, main]);
    product.child.kill('SIGUSR2');
    const read = async (): Promise<string[]> => JSON.parse(await readFile(file, 'utf8').catch(() => '[]'));
    await expect.poll(async () => (await read()).length).toBeGreaterThan(0);
    const loaded = await read();
    await product.stop();
    expect(loaded).toContainEqual(expect.stringContaining('/services/api/src/app.ts'));
    expect(loaded).toContainEqual(expect.stringContaining('/node_modules/fastify/'));
    expect(loaded.filter((url) => latePackage.test(url))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
