import { readFile } from 'node:fs/promises';
import { nameOf } from '@gatebook/api/http/define-route';
import { routes } from '@gatebook/api/routes/all';
import { expect, test } from 'vitest';
import { apiReference } from './api-reference.ts';
import { openApiDocument } from './openapi-document.ts';

const read = () => readFile(new URL('../../docs/api.md', import.meta.url), 'utf8');

test('docs/api.md equals the generated page (npm run docs)', async () => {
  expect(await read()).toBe(apiReference(await openApiDocument()));
});

test('docs/api.md has every operation and every linked schema, and no unresolved values', async () => {
  const text = await read();
  for (const route of routes.filter(({ isForOlderClients }) => !isForOlderClients)) {
    expect(text).toContain(`### ${nameOf(route).replace(/:(\w+)/g, '{$1}')}\n`);
  }
  const shapes = [...text.matchAll(/<a id="([\w-]+)"/g)].map(([, id]) => id);
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title?.toLowerCase().replaceAll(' ', '-'));
  const anchors = [...shapes, ...sections];
  expect(new Set(anchors).size).toBe(anchors.length);
  for (const [, link] of text.matchAll(/\]\(#([\w-]+)\)/g)) expect(anchors).toContain(link);
  expect(text).not.toMatch(/undefined|\[object|\/work\/|\/home\//);
});
