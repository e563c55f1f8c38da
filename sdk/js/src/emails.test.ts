import { languages } from '@gatebook/domain/email/languages';
import { expect, test } from 'vitest';
import { emailLanguages, emailsClient } from './emails.ts';

const content = { root: { type: 'EmailLayout', data: {} } };
const template = { subject: 'Passwort', content };
const text = { type: 'password_reset', language: 'de-DE', source: 'version' } as const;

function start(answer: unknown) {
  const calls: unknown[][] = [];
  const client = emailsClient((async (...call: unknown[]) => {
    calls.push(call);
    return answer;
  }) as Parameters<typeof emailsClient>[0]);
  return { client, calls };
}

test('versions of a template are read, replaced and reset by language', async () => {
  const builtIn = { subject: 'Setzen Sie …', content };
  const { client, calls } = start({ ...text, ...template, built_in: builtIn });
  const version = { ...text, ...template, builtIn };
  expect(await client.getTemplateVersion('password_reset', 'de-DE')).toEqual(version);
  expect(await client.updateTemplateVersion('password_reset', 'de-DE', template)).toEqual(version);
  await client.resetTemplateVersion('password_reset', 'de-DE');
  const path = '/internal/email-templates/password_reset/versions/de-DE';
  expect(calls).toEqual([
    ['GET', path],
    ['PUT', path, template],
    ['DELETE', path, {}],
  ]);
});

test('the texts of all languages are listed', async () => {
  const { client } = start({ items: [text], is_paginated: false });
  expect(await client.listTemplateTexts()).toEqual([text]);
});

test('previews and tests name the language, or none for the default version', async () => {
  const { client, calls } = start({ success: true, recipient_email: 'me@example.com' });
  await client.preview('password_reset', template, 'de-DE');
  await client.preview('password_reset', template, null);
  await client.testTemplate('password_reset', template, 'de-DE');
  await client.testTemplate('password_reset', template);
  const inGerman = { ...template, language: 'de-DE' };
  expect(calls.map(([, , body]) => body)).toEqual([inGerman, template, inGerman, template]);
});

test('the languages are those of the server', () => expect([...emailLanguages]).toEqual([...languages]));
