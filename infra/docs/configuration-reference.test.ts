import { readFile } from 'node:fs/promises';
import { settingGroups, settings } from '@gatebook/runtime/settings';
import { expect, test } from 'vitest';
import { configurationReference } from './configuration-reference.ts';

test('docs/configuration.md equals the generated page (npm run docs)', async () => {
  expect(await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8')).toBe(
    configurationReference(),
  );
});

test('every setting belongs to one group of docs/configuration.md', () => {
  const grouped = settingGroups.flatMap((group) => Object.keys(group.settings));
  expect(grouped.toSorted()).toEqual(Object.keys(settings.shape).toSorted());
});
