import { expect, test } from 'vitest';
import { createProject, expectKnown, signUp, unknownId } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const project = await createProject(send);
const { userId } = await signUp(send, project);
await send('PATCH', `/users/${userId}`, { ...project, access: 'server', body: { display_name: 'Ann' } });

const read = (path: string, language?: string) => {
  const headers: Record<string, string> = language === undefined ? {} : { 'accept-language': language };
  return send('GET', path, { ...project, access: 'admin', headers });
};
const renames = `/internal/audit-events?target_id=${userId}&type=UserRenamed`;
const [{ id: eventId, action_id: actionId }] = (await read(renames)).body.items;
const inGerman = 'Anzeigename in „Ann“ geändert';
const inEnglish = 'Changed the display name to Ann';

test.each([
  ['the audit log', renames],
  ['an event', `/internal/audit-events/${eventId}`],
  ['an action', `/internal/actions/${actionId}`],
  ['a user’s history', `/internal/users/${userId}/history`],
])('%s is in the language of the request, and in English in all others', async (_name, path) => {
  const german = await read(path, 'de-AT, en;q=0.5');
  expect(german.headers).toMatchObject({ 'content-language': 'de', vary: 'accept-language' });
  expect(german.text).toContain(inGerman);
  expect(german.text).not.toContain(inEnglish);
  for (const language of [undefined, '*', 'en', 'fr, it;q=0.1']) {
    const english = await read(path, language);
    expect(english.headers).toMatchObject({ 'content-language': 'en', vary: 'accept-language' });
    expect(english.text).toContain(inEnglish);
    expect(english.text).not.toContain(inGerman);
  }
});

test('types of events have titles in the language of the request', async () => {
  const titlesIn = async (language: string) => {
    const { items } = (await read('/internal/audit-event-types', language)).body;
    return new Map(items.map(({ type, text }: { type: string; text: string }) => [type, text]));
  };
  const [english, german] = [await titlesIn('en'), await titlesIn('de')];
  expect([english.get('UserRenamed'), german.get('UserRenamed')]).toEqual([
    'Display name changed',
    'Anzeigename geändert',
  ]);
  expect(german.get('CallRejected')).toBe('Aufruf abgelehnt');
  expect([...german.keys()]).toEqual([...english.keys()]);
});

test('types of public events are described in the language of the request, with the same schemas', async () => {
  const [german, english] = [await read('/events/types', 'de'), await read('/events/types', 'en')];
  type Type = { type: string; description: string };
  const shown = (items: Type[]) => items.map(({ description: _, ...rest }) => rest);
  expect(shown(german.body.items)).toEqual(shown(english.body.items));
  for (const [nth, { type, description }] of (german.body.items as Type[]).entries()) {
    expect(description, type).not.toBe(english.body.items[nth].description);
    expect(description, type).toMatch(/^\p{Lu}.*\.$/u);
  }
});

test('a rejected call is told in the language of the request', async () => {
  const answer = await send('GET', '/users', project);
  const rejected = '/internal/audit-events?outcome=rejected&limit=1';
  const [german, english] = [await read(rejected, 'de'), await read(rejected, 'en')];
  expect(german.body.items).toMatchObject([{ text: 'Aufruf von GET /users abgelehnt: INSUFFICIENT_ACCESS_TYPE' }]);
  expect(english.body.items).toMatchObject([{ text: 'Rejected a call of GET /users: INSUFFICIENT_ACCESS_TYPE' }]);
  const explained = await read(`/internal/rejections/${answer.headers['x-stack-request-id']}`, 'de');
  expect(explained.headers['content-language']).toBe('de');
  expect(explained.text).toContain('Das Projekt und sein Branch existieren.');
});

test('reasons and effects of a change are in the language of the request', async () => {
  const created = `/internal/audit-events?target_id=${userId}&type=UserCreated`;
  const [{ id, action_id }] = (await read(created)).body.items;
  const reason = 'Um das Erstellen eines Benutzers rückgängig zu machen, löschen Sie den Benutzer.';
  const [event, action] = [
    await read(`/internal/audit-events/${id}`, 'de'),
    await read(`/internal/actions/${action_id}`, 'de'),
  ];
  for (const { body } of [event, action]) expect(body.undo.reasons).toContain(reason);
  const previewIn = async (language: string) => {
    const body = { method: 'DELETE', path: `/users/${userId}` };
    const headers = { 'accept-language': language };
    const answer = await send('POST', '/internal/previews', { ...project, access: 'admin', headers, body });
    expect(answer.headers['content-language']).toBe(language);
    return answer.body;
  };
  const [german, english] = [await previewIn('de'), await previewIn('en')];
  const texts = (of: { text: string }[]) => of.map(({ text }) => text);
  expect(texts(german.effects)).toEqual(['Beendet 1 Sitzung', 'Löscht personenbezogene Daten endgültig']);
  expect(texts(english.effects)).toEqual(['Ends 1 session', 'Erases personal data permanently']);
  expect(texts(german.events)).toContain('Benutzer samt personenbezogenen Daten endgültig gelöscht');
  expect(german.irreversible_reasons).toEqual(['Gelöschte Daten sind endgültig gelöscht.']);
  expect(english.irreversible_reasons).toEqual(['Deleted data is erased.']);
  expect({ ...german, etag: null, effects: [], events: [], irreversible_reasons: [] }).toEqual({
    ...{ ...english, etag: null, effects: [], events: [], irreversible_reasons: [] },
  });
});

test('errors are in English, and say nothing of a language', async () => {
  const answer = await read(`/internal/audit-events/${unknownId}`, 'de');
  expectKnown(answer, 404, 'AUDIT_EVENT_NOT_FOUND');
  expect(answer.headers['content-language']).toBeUndefined();
});

test('exports are in English in every language', async () => {
  const exported = await read(`/internal/audit-events/export?format=jsonl&target_id=${userId}`, 'de');
  expect(exported.status).toBe(200);
  expect(exported.text).toContain(inEnglish);
  const own = await read(`/users/${userId}/export`, 'de');
  expect(own.status).toBe(200);
  expect(own.text).toContain(inEnglish);
  for (const { headers } of [exported, own]) expect(headers['content-language']).toBeUndefined();
});
