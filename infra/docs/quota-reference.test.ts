import { readFile } from 'node:fs/promises';
import { bodySizes } from '@gatebook/api/http/body';
import { maxDepth, maxKeys } from '@gatebook/api/http/strict-json';
import { expect, test } from 'vitest';
import { openApiDocument, type Schema } from './openapi-document.ts';
import { quotaReference } from './quota-reference.ts';

test('docs/quotas.md equals the generated page (npm run docs)', async () => {
  expect(await readFile(new URL('../../docs/quotas.md', import.meta.url), 'utf8')).toBe(quotaReference());
});

test('docs/quotas.md states the size limits of the API', async () => {
  const { schemas } = (await openApiDocument()).components;
  const field = (shape: string, name: string): Schema => {
    const found = schemas[`${shape}Input`] ?? schemas[shape];
    const schema = found?.properties?.[name] ?? {};
    return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  };
  expect([bodySizes.small, maxKeys, maxDepth]).toEqual([65_536, 10_000, 64]);
  expect(field('NewTeam', 'display_name').maxLength).toBe(256);
  expect(field('NewUser', 'display_name').maxLength).toBe(256);
  expect(field('NewProject', 'display_name').maxLength).toBe(256);
  expect(field('CreateUserApiKey', 'description').maxLength).toBe(2_000);
  expect(field('NewContactChannel', 'value').maxLength).toBe(320);
  expect(field('SendResetCode', 'callback_url').maxLength).toBe(4_096);
  expect(field('NewUser', 'profile_image_url').maxLength).toBe(1_000_000);
  expect(field('EmailTemplatePatch', 'subject').maxLength).toBe(998);
  expect(field('PasswordSignUp', 'password').maxLength).toBe(1_024);
  for (const name of ['client_metadata', 'client_read_only_metadata', 'server_metadata']) {
    expect(field('NewUser', name)['x-max-bytes']).toBe(65_536);
  }
  expect(field('EmailTemplatePatch', 'content')['x-max-bytes']).toBe(262_144);
});
