import { expect, test } from 'vitest';
import { asMember } from '../testing/members.ts';
import { type Call, createProject, expectKnown, expectPlain, unknownId } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';

const { send } = await startSuite();
const project = await createProject(send);
const german = { 'accept-language': 'de-AT, en;q=0.5' };
const english = { 'accept-language': 'en' };
const asOwner = (call: Call = {}) => asMember(project, project.owner, call);
const published = { 'x-stack-client-version': 'js @stackframe/js@2.8.3' };

const findTeam = (call: Call) => send('GET', `/teams/${unknownId}`, call);
const unknownTeam = { german: `Das Team ${unknownId} gibt es nicht.`, english: `Team ${unknownId} does not exist.` };

test('an owner reads errors in their language, with the same details', async () => {
  const [inGerman, inEnglish] = [
    await findTeam(asOwner({ headers: german })),
    await findTeam(asOwner({ headers: english })),
  ];
  expectKnown(inGerman, 404, 'TEAM_NOT_FOUND', { team_id: unknownId });
  expect(inGerman.headers).toMatchObject({ 'content-language': 'de', vary: 'accept-language' });
  expect(inGerman.body.error).toBe(unknownTeam.german);
  expectKnown(inEnglish, 404, 'TEAM_NOT_FOUND', { team_id: unknownId });
  expect(inEnglish.headers['content-language']).toBeUndefined();
  expect(inEnglish.body.error).toBe(unknownTeam.english);
});

test('an owner reads a sentence without a code in their language', async () => {
  const path = `/auth/sessions/${unknownId}?user_id=${unknownId}`;
  const answer = await send('DELETE', path, asOwner({ headers: german }));
  expectPlain(answer, 404);
  expect(answer.text).toBe('Sitzung nicht gefunden.');
});

test('an owner reads an error about their access token in their language', async () => {
  const headers = { ...german, 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': 'none' };
  const answer = await findTeam({ projectId: project.projectId, access: 'admin', headers });
  expectKnown(answer, 401, 'UNPARSABLE_ADMIN_ACCESS_TOKEN');
  expect(answer.body.error).toBe('Das Admin-Zugriffstoken konnte nicht geprüft werden.');
});

test('the faults of a malformed request are in the language of the owner, and in the details as always', async () => {
  const body = { display_name: 'x'.repeat(300), profile_image_url: 'none', is_admin: true };
  const create = (headers: Record<string, string>) => send('POST', '/teams', asOwner({ headers, body }));
  const [inGerman, inEnglish] = [await create(german), await create(english)];
  expect(inGerman.body.error).toBe(
    [
      'Die Anfrage POST /api/v1/teams hat Fehler:',
      '  - body.display_name: Zu groß: erwartet, dass string <=256 Zeichen hat',
      '  - body.profile_image_url: muss eine absolute URL ohne Leerzeichen sein',
      '  - body hat unbekannte Felder: is_admin',
    ].join('\n'),
  );
  expect(inGerman.body.details).toEqual(inEnglish.body.details);
  expect(inEnglish.body.details).toEqual({ message: inEnglish.body.error });
  expect(inEnglish.body.error).toContain('body.profile_image_url: must be an absolute URL without spaces');
  const empty = await send('POST', '/teams', asOwner({ headers: german, body: {} }));
  expect(empty.body.error).toContain('body.display_name ist erforderlich');
});

test('a retry gets the error in the language of the first request', async () => {
  const change = (headers: Record<string, string>) => {
    const call = { headers: { ...headers, 'idempotency-key': 'retried' }, body: { display_name: 'Crew' } };
    return send('PATCH', `/teams/${unknownId}`, asOwner(call));
  };
  expect((await change(german)).body.error).toBe(unknownTeam.german);
  const retried = await change(english);
  expect(retried.headers).toMatchObject({ 'idempotency-replayed': 'true', 'content-language': 'de' });
  expect(retried.body.error).toBe(unknownTeam.german);
});

test('a preview has the error in the language of the owner', async () => {
  const body = { method: 'DELETE', path: `/teams/${unknownId}` };
  const { body: preview } = await send('POST', '/internal/previews', asOwner({ headers: german, body }));
  expect(preview.error).toEqual({
    code: 'TEAM_NOT_FOUND',
    details: { team_id: unknownId },
    error: unknownTeam.german,
  });
  const { body: withKey } = await send('POST', '/internal/previews', {
    ...project,
    access: 'admin',
    headers: german,
    body,
  });
  expect(withKey.error.error).toBe(unknownTeam.english);
});

test('errors of routes of the dashboard are in the language of the owner, and those of routes of apps are not', async () => {
  const call = { as: project.owner.accessToken, headers: german };
  const answer = await send('POST', '/internal/projects', { ...call, body: {} });
  expect(answer.body.error).toContain('body.display_name ist erforderlich');
  expect((await findTeam(call)).body.error).toMatch(/is not a member of team/);
});

test.each<[string, Call]>([
  ['servers', { ...project, access: 'server' }],
  ['admins with a key', { ...project, access: 'admin' }],
  ['clients of apps', { ...project, access: 'client', as: project.owner.accessToken }],
  ['published libraries of owners', asOwner({ headers: published })],
])('%s get English errors, also from a German browser', async (_name, call) => {
  const answer = await findTeam({ ...call, headers: { ...call.headers, ...german } });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.headers['content-language']).toBeUndefined();
  expect(answer.body.error).toMatch(/^(Team|The access token) .*(exist|project)/);
});
