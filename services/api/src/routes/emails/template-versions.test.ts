import { languages } from '@gatebook/domain/email/languages';
import { defaultTemplate } from '@gatebook/mail/defaults';
import { beforeEach, describe, expect, test } from 'vitest';
import { actionOf, actionsWith } from '../../testing/actions.ts';
import { createProject, expectPlain, expectSchemaError } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const { write, read, undo, preview } = actionsWith(send);
let project: Awaited<ReturnType<typeof createProject>>;
beforeEach(async () => {
  project = await createProject(send);
});
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
  send(method, path, { ...project, access: 'admin', ...(body !== undefined && { body }) });

const content = {
  root: { type: 'EmailLayout', data: { childrenIds: ['text'] } },
  text: { type: 'Text', data: { props: { text: 'Hallo' } } },
};
const pathOf = (language: string) => `/internal/email-templates/password_reset/versions/${language}`;
const saveDefault = (subject: string) =>
  call('PUT', '/internal/email-templates/password_reset/content', { subject, content });
const sources = async (type = 'password_reset'): Promise<Record<string, string>> => {
  const { status, body } = await call('GET', '/internal/email-template-versions');
  expect(status).toBe(200);
  const items: { type: string; language: string; source: string }[] = body.items;
  return Object.fromEntries(items.filter((item) => item.type === type).map((item) => [item.language, item.source]));
};
const allAre = (source: string) => Object.fromEntries(languages.map((language) => [language, source]));

describe('an email template in a language', () => {
  test('is Gatebook’s text in the language at first', async () => {
    const { subject, content: words } = defaultTemplate('password_reset', 'de-DE');
    const { status, body } = await call('GET', pathOf('de-DE'));
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ type: 'password_reset', language: 'de-DE', source: 'built_in', subject, content: words },
      built_in: { subject, content: words },
    });
    expect(await sources()).toEqual(allAre('built_in'));
    expectSchemaError(await call('GET', pathOf('tlh')), 'params.language');
  });

  test('is edited beside the default version, which published clients read', async () => {
    const shown = await call('GET', '/email-templates/password_reset');
    const { status, body } = await call('PUT', pathOf('de-DE'), { subject: 'Passwort', content });
    expect(status).toBe(200);
    expect(body).toMatchObject({ language: 'de-DE', source: 'version', subject: 'Passwort', content });
    expect((await call('GET', pathOf('de-DE'))).body).toEqual(body);
    expect((await call('GET', '/email-templates/password_reset')).body).toEqual(shown.body);
    expect((await call('GET', '/email-templates')).body.items[1]).toEqual(shown.body);
    expect(await sources()).toEqual({ ...allAre('built_in'), 'de-DE': 'version' });
    expect(await sources('magic_link')).toEqual(allAre('built_in'));
    expectPlain(await call('PUT', pathOf('de-DE'), { subject: 'Hello', content: { root: 1 } }), 400);
    expectSchemaError(await call('PUT', pathOf('de-DE'), { content }), 'body.subject');
  });

  test('is the edited default version unless it is edited', async () => {
    await saveDefault('Mine');
    const { body } = await call('GET', pathOf('de-DE'));
    expect(body).toMatchObject({ source: 'default_version', subject: 'Mine', content });
    expect(body.built_in.subject).toBe(defaultTemplate('password_reset', 'de-DE').subject);
    await call('PUT', pathOf('de-DE'), { subject: 'Passwort', content });
    expect(await sources()).toEqual({ ...allAre('default_version'), 'de-DE': 'version' });
    expect((await call('GET', '/email-templates/password_reset')).body).toMatchObject({ subject: 'Mine' });
  });

  test('is reset alone', async () => {
    expectPlain(await call('DELETE', pathOf('de-DE'), {}), 404);
    await call('PUT', pathOf('de-DE'), { subject: 'Passwort', content });
    await call('PUT', pathOf('fr-FR'), { subject: 'Mot de passe', content });
    expect((await call('DELETE', pathOf('de-DE'), {})).body).toEqual({ success: true });
    expect(await sources()).toEqual({ ...allAre('built_in'), 'fr-FR': 'version' });
    expectPlain(await call('DELETE', '/email-templates/password_reset', {}), 404);
  });

  test('is previewed as its readers get it, or as it is edited', async () => {
    const preview = async (body: object) =>
      (await call('POST', '/internal/email-templates/password_reset/preview', body)).body;
    await saveDefault('Mine');
    await call('PUT', pathOf('de-DE'), { subject: 'Passwort', content });
    expect((await preview({ language: 'de-DE' })).subject).toBe('Passwort');
    expect((await preview({ language: 'fr-FR' })).subject).toBe('Mine');
    expect((await preview({})).subject).toBe('Mine');
    const draft = await preview({ language: 'fr-FR', subject: 'Bonjour', content });
    expect(draft.subject).toBe('Bonjour');
    expect(draft.html).toContain('lang="fr-FR"');
    expect((await preview({ subject: 'Hello', content })).html).toContain('lang="en-US"');
  });

  test('is previewed, shown in the audit log with its changes, and undone', async () => {
    const change = (subject: string) => ({ method: 'PUT', path: pathOf('de-DE'), body: { subject, content } });
    const first = await write(project, change('Passwort'));
    const field = 'email_templates.password_reset.de-DE.subject';
    const changes = [{ field, before: 'Passwort', after: 'Neues Passwort' }];
    const target = { type: 'email_template', id: 'password_reset.de-DE' };
    const text = 'Changed the email template password reset in German';
    const previewed = await preview(project, change('Neues Passwort'));
    expect(previewed).toMatchObject({ status: 200, changes, events: [{ targets: [target], text }] });
    expect((await call('GET', pathOf('de-DE'))).body.subject).toBe('Passwort');

    const second = await write(project, change('Neues Passwort'));
    expect(await read(project, `/internal/actions/${actionOf(second)}`)).toMatchObject({ changes });
    const textsOf = async (id: string) => {
      const { items } = await read(project, `/internal/audit-events?target_type=email_template&target_id=${id}`);
      return (items as { text: string }[]).map((item) => item.text);
    };
    expect(await textsOf('password_reset.de-DE')).toEqual([text, text]);
    expect(await textsOf('password_reset')).toEqual([]);
    expect((await undo(project, actionOf(second))).status).toBe(200);
    expect((await call('GET', pathOf('de-DE'))).body.subject).toBe('Passwort');
    expect((await undo(project, actionOf(first))).status).toBe(200);
    expect((await call('GET', pathOf('de-DE'))).body.source).toBe('built_in');
    expect((await textsOf('password_reset.de-DE'))[0]).toBe('Reset the email template password reset in German');
  });
});
