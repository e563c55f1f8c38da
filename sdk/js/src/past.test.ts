import { expect, test } from 'vitest';
import { GatebookServerApp } from './app/server-app.ts';
import { type FakeAnswer, fakeNetwork, fakeOwner, rejection } from './testing.ts';

const shown = { 'x-as-of-event-id': 'e1', 'x-as-of-millis': '5' };

test('a client of the past asks for the moment in each read', async () => {
  const { client, requests } = fakeOwner(() => ({ json: { items: [] }, headers: shown }));
  await client.admin('p1', '5').teams.listOf('u 1', {});
  const { searchParams } = new URL(requests[0]?.url ?? '');
  expect(Object.fromEntries(searchParams)).toMatchObject({ as_of: '5', user_id: 'u 1' });
});

test('a server that does not know the past is noticed', async () => {
  const { client } = fakeOwner(() => ({ json: { items: [] } }));
  await expect(client.admin('p1', '5').teams.list()).rejects.toThrow('does not know the past');
});

test('errors of the past are known errors', async () => {
  const { client } = fakeOwner(() => rejection('USER_NOT_FOUND', 404));
  await expect(client.admin('p1', '5').users.find('u')).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
});

test('writes are rejected before they are sent', async () => {
  const { client, requests } = fakeOwner(() => ({ headers: shown }));
  await expect(client.admin('p1', '5').users.delete('u')).rejects.toThrow('The past is read-only');
  expect(requests).toEqual([]);
});

test('a read-only client of the present asks for no moment', async () => {
  const { client, requests } = fakeOwner(() => ({ json: { items: [] } }));
  await client.admin('p1', null).emails.listSent({});
  expect(requests.map(({ url }) => new URL(url).search)).toEqual(['']);
  await expect(client.admin('p1', null).users.delete('u')).rejects.toThrow('The past is read-only');
});

test('the audit log stays that of the present', async () => {
  const { client, requests } = fakeOwner(() => ({ json: { items: [], pagination: { next_cursor: null } } }));
  await client.admin('p1', '5').audit.list();
  expect(requests[0]?.url).not.toContain('as_of');
});

test('errors that only Gatebook has are known, with their details', async () => {
  const conflict = rejection('UNDO_CONFLICT', 409, { conflicts: [] });
  const { client } = fakeOwner(() => conflict);
  await expect(client.admin('p1').changes.undo('a1')).rejects.toMatchObject({
    name: 'KnownError',
    message: 'text of UNDO_CONFLICT',
    details: { conflicts: [] },
  });
});

function serverApp(answer: FakeAnswer) {
  const { network, requests } = fakeNetwork(() => answer);
  const facts = { baseUrl: 'http://gate.test', projectId: 'p1', secretServerKey: 's', tokenStore: 'memory' } as const;
  return { app: new GatebookServerApp({ ...facts, parts: { network } }), requests };
}

test('an app as of a moment reads the past with the keys of the app', async () => {
  const { app, requests } = serverApp({ json: { items: [] }, headers: shown });
  await app.at(new Date(5)).listTeams();
  await app.at(new Date(5)).at('e1').listTeams();
  await app.listTeams();
  const momentOf = (url: string) => new URL(url).searchParams.get('as_of');
  expect(requests.map(({ url }) => momentOf(url))).toEqual(['5', 'e1', null]);
  expect(requests[0]?.headers).toMatchObject({ 'x-stack-secret-server-key': 's', 'x-stack-access-type': 'server' });
});

test('an app as of a moment has no session', async () => {
  const { app, requests } = serverApp({ headers: shown });
  const past = app.at('e1');
  await expect(past.createTeam({ displayName: 'Band' })).rejects.toThrow('The past is read-only');
  await expect((async () => past.getUser())()).rejects.toThrow('pass a tokenStore');
  expect(requests).toEqual([]);
});
