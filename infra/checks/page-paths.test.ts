import { readdir } from 'node:fs/promises';
import { dashboardPages, handlerPages, pageAt } from '@gatebook/api/http/page-paths';
import { resolveUrls } from '@gatebook/js/core';
import { expect, test } from 'vitest';
import { listRoutes } from '../../dashboard/src/routes.tsx';
import { dispatch, pageNames } from '../../sdk/react/src/handler/dispatch.ts';

test('the server knows exactly the paths of the dashboard’s router', () => {
  const known = listRoutes({ client: {} as never }).map(({ path }) => path);
  const underscored = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const paths = known.map((path) => path.replace(/\$(\w+)/g, (_, name: string) => `:${underscored(name)}`));
  expect([...new Set(paths)].sort()).toEqual(Object.keys(dashboardPages).sort());
});

test('each page has a document that names its files, and no other page is named', async () => {
  const files = await readdir(new URL('../../dashboard/src/pages', import.meta.url));
  const pages = files.filter((file) => file.endsWith('.tsx')).map((file) => file.replace('.tsx', ''));
  const named = Object.values(dashboardPages).filter((page) => page !== null);
  expect([...new Set<string>(named)].sort()).toEqual(pages.sort());
});

test('the server knows exactly the pages of the handler and their other spellings', () => {
  expect([...pageNames].sort()).toEqual([...handlerPages].sort());
  const spellings = [
    'login',
    'register',
    'nowhere',
    ...pageNames,
    ...pageNames.map((name) => name.replaceAll('-', '')),
  ];
  for (const name of spellings) {
    const found = dispatch(resolveUrls({}), new URL(`http://a.test/handler/${name}`));
    const isPage = !('page' in found) || found.page !== 'not-found';
    expect(pageAt(`/handler/${name}`)?.status, name).toBe(isPage ? 200 : 404);
  }
});
