import { findUserLanguage } from '@gatebook/readmodel/activity/queries';
import { expect, test } from 'vitest';
import { mailTo } from '../../testing/mailbox.ts';
import { asMember } from '../../testing/members.ts';
import { createProject, newEmail, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send, { config: { magic_link_enabled: true } });
const callback_url = 'http://localhost:3000/handler/magic-link-callback';
const german = { 'accept-language': 'de-CH, en;q=0.5' };

async function languageOfCode(call: object, headers: Record<string, string> = german) {
  const email = newEmail();
  const body = { email, callback_url };
  const { status } = await send('POST', '/auth/otp/send-sign-in-code', { ...project, ...call, body, headers });
  expect(status).toBe(200);
  return (await mailTo(api, email)).language;
}

test('an email is requested in the language of the request', async () => {
  expect(await languageOfCode({ access: 'client' })).toBe('de-DE');
  expect(await languageOfCode({ access: 'client' }, { 'accept-language': '*' })).toBeNull();
  // A server passes on the header of its visitor.
  expect(await languageOfCode({ access: 'server' })).toBe('de-DE');
});

test('the language of an owner is not that of the user', async () => {
  // The dashboard sends the token of the owner instead of a key.
  const call = { access: 'admin', keys: { client: '', server: '', admin: '' } };
  const headers = { ...german, 'x-stack-admin-access-token': project.owner.accessToken };
  expect(await languageOfCode(call, headers)).toBeNull();
});

test('an invitation to a project is in the language of the owner who invites', async () => {
  const email = newEmail();
  const path = '/internal/projects/current/invitations';
  const invite = (headers: Record<string, string>) =>
    send('POST', path, asMember(project, project.owner, { headers, body: { email, role: 'developer' } }));
  const { body } = await invite(german);
  expect(await mailTo(api, email)).toMatchObject({ language: 'de-DE', variables: { roleName: 'developer' } });
  await send(
    'POST',
    `${path}/${body.id}/resend`,
    asMember(project, project.owner, { headers: { 'accept-language': 'fr' } }),
  );
  expect((await mailTo(api, email)).language).toBe('fr-FR');
});

test('the language of the latest use that named one is kept until the user is erased', async () => {
  const { userId, refreshToken } = await signUp(send, { ...project, headers: german });
  const languageOfUser = async () => {
    await api.deps.activity.flush();
    return findUserLanguage(api.deps.db, project.projectId, userId);
  };
  expect(await languageOfUser()).toBe('de-DE');
  const refresh = async (headers: Record<string, string>) => {
    api.advance(61_000);
    const call = { ...project, headers: { ...headers, 'x-stack-refresh-token': refreshToken } };
    expect((await send('POST', '/auth/sessions/current/refresh', { ...call, body: {} })).status).toBe(200);
  };
  await refresh({ 'accept-language': '*' });
  expect(await languageOfUser()).toBe('de-DE');
  await refresh({ 'accept-language': 'ja' });
  expect(await languageOfUser()).toBe('ja-JP');
  expect(await findUserLanguage(api.deps.db, 'internal', userId)).toBeNull();
  await api.deps.activity.forgetUser(userId);
  expect(await languageOfUser()).toBeNull();
});

test('an impersonator does not change the language of a user', async () => {
  const { userId } = await signUp(send, { ...project, headers: german });
  const body = { user_id: userId, is_impersonation: true, expires_in_millis: 60_000 };
  const french = { 'accept-language': 'fr' };
  const started = await send('POST', '/auth/sessions', { ...project, access: 'server', body, headers: french });
  expect(started.status).toBe(200);
  await api.deps.activity.flush();
  expect(await findUserLanguage(api.deps.db, project.projectId, userId)).toBe('de-DE');
});

test('a preview shows the default template in a language; a changed template has one version', async () => {
  const preview = (body: object) =>
    send('POST', '/internal/email-templates/password_reset/preview', { ...project, access: 'admin', body });
  const inGerman = await preview({ language: 'de-DE' });
  expect(inGerman.body.subject).toMatch(/^Setzen Sie Ihr Passwort für .* zurück$/);
  expect(inGerman.body.html).toContain('lang="de-DE"');
  expect((await preview({})).body.subject).toMatch(/^Reset your password/);
  expect((await preview({ language: 'tlh' })).status).toBe(400);
  const content = { root: { type: 'EmailLayout', data: { childrenIds: [] } } };
  const path = '/internal/email-templates/password_reset/content';
  await send('PUT', path, { ...project, access: 'admin', body: { subject: 'Mine', content } });
  expect((await preview({ language: 'de-DE' })).body.subject).toBe('Mine');
});
