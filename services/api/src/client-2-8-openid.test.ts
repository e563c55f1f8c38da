import { findFreePort } from '@gatebook/runtime/free-port';
import * as oldest from 'stack-js-2-8-3';
import * as middle from 'stack-js-2-8-77';
import * as newest from 'stack-js-2-8-108';
import { describe, expect, test } from 'vitest';
import { browserOf, newPerson } from './testing/oauth.ts';
import { createProject, senderOf } from './testing/requests.ts';
import { startSuite } from './testing/suite.ts';

/*
 * What published client libraries, unmodified, do in a project with an OpenID Connect provider, a kind that they do not
 * know.
 */
const versions = [
  { version: '2.8.3', library: oldest as unknown as typeof newest },
  { version: '2.8.77', library: middle as unknown as typeof newest },
  { version: '2.8.108', library: newest },
];
const port = await findFreePort();
const baseUrl = `http://localhost:${port}`;
const { api } = await startSuite({ publicUrl: baseUrl, port });
await api.app.listen({ port, host: 'localhost' });
const send = senderOf(api);
const github = { id: 'github', type: 'standard', client_id: 'gh-client', client_secret: 'gh-secret' };
const body = { display_name: 'Acme', issuer: 'https://id.acme.example', client_id: 'shop', client_secret: 'secret' };

async function withAcme() {
  const project = await createProject(send, { config: { oauth_providers: [github] } });
  const path = '/internal/projects/current/openid-providers';
  await send('PUT', `${path}/acme`, { ...project, access: 'admin', body });
  const { client: publishableClientKey, server: secretServerKey, admin: superSecretAdminKey } = project.keys;
  const keys = { baseUrl, projectId: project.projectId, publishableClientKey, secretServerKey, superSecretAdminKey };
  const list = async () => (await send('GET', path, { ...project, access: 'admin' })).body.items;
  return { project, keys, list };
}
const idsOf = ({ config }: { config: { oauthProviders: readonly { id: string }[] } }) =>
  config.oauthProviders.map(({ id }) => id);

describe.each(versions)('@stackframe/js $version', ({ library: { StackAdminApp, StackClientApp } }) => {
  test('reads the project, and lists the provider among those that users sign in with', async () => {
    const { keys } = await withAcme();
    const app = new StackClientApp({ ...keys, tokenStore: 'memory', redirectMethod: 'none' });
    expect(idsOf(await app.getProject())).toEqual(['acme', 'github']);
  });

  test('changes the other providers as an admin, and leaves it as it is', async () => {
    const { keys, list } = await withAcme();
    const before = await list();
    const project = await new StackAdminApp({ ...keys, tokenStore: 'memory' }).getProject();
    expect(idsOf(project)).toEqual(['github']);
    const gitlab = { id: 'gitlab', type: 'standard', clientId: 'gl', clientSecret: 'secret' } as const;
    await project.update({ config: { oauthProviders: [...project.config.oauthProviders, gitlab] } });
    expect(idsOf(await new StackAdminApp({ ...keys, tokenStore: 'memory' }).getProject())).toEqual([
      'github',
      'gitlab',
    ]);
    expect(await list()).toEqual(before);
  });

  test('reads users who signed in with it', async () => {
    const { project, keys } = await withAcme();
    const person = newPerson();
    const { access_token: accessToken, refresh_token: refreshToken } = await browserOf(api, project).signIn(
      'acme',
      person,
    );
    const app = new StackClientApp({ ...keys, tokenStore: { accessToken, refreshToken }, redirectMethod: 'none' });
    const user = await app.getUser({ or: 'throw' });
    expect(user.primaryEmail).toBe(person.email);
    expect(user.oauthProviders.map(({ id }) => id)).toEqual(['acme']);
    const account = await user.getConnectedAccount('acme' as 'github');
    expect(await account?.getAccessToken()).toMatchObject({ accessToken: expect.stringMatching(/^access-/) });
  });
});
