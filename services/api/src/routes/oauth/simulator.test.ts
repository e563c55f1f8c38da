import { createOAuthProviders } from '@gatebook/oauth/client';
import { startSimulatorProvider } from '@gatebook/oauth/simulator/provider';
import { signInAtSimulator } from '@gatebook/oauth/testing/sign-in-at-simulator';
import { simulatorKeys } from '@gatebook/runtime/oauth-config';
import { afterAll, expect, test } from 'vitest';
import { browserOf } from '../../testing/oauth.ts';
import { createProject } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const secret = 'swordfish';
const simulator = await startSimulatorProvider({ secret, redirectOrigins: ['http://localhost:8102'] });
afterAll(() => simulator.close());

const providersWith = (ownKeys?: typeof simulatorKeys) => ({
  sharedKeys: {},
  sharedIssuer: { url: simulator.url, secret, ...(ownKeys && { ownKeys }) },
});
const suite = (ownKeys?: typeof simulatorKeys) =>
  startSuite({
    overrides: (deps) => ({ oauthProviders: createOAuthProviders({ ...providersWith(ownKeys), now: deps.now }) }),
  });

const github = (clientId: string, clientSecret: string) => ({
  oauth_providers: [{ id: 'github', type: 'standard', client_id: clientId, client_secret: clientSecret }],
});
const ann = { email: 'ann@example.com', name: 'Ann' };

test('with the simulator’s keys as its own, a project gets tokens of connected accounts', async () => {
  const { api, send } = await suite(simulatorKeys);
  const project = await createProject(send, { config: github('simulator', 'simulator') });
  const { begin, open, redeem } = browserOf(api, project);
  const begun = await begin('github', { provider_scope: 'repo' });
  const back = await signInAtSimulator(begun.location, ann);
  const answer = await open('GET', `${back.pathname}${back.search}`, { cookie: begun.cookie });
  const code = new URL(String(answer.headers.location)).searchParams.get('code') ?? '';
  const { access_token: as } = (await redeem(code)).body;
  const accounts = await send('GET', '/connected-accounts/me', { ...project, as });
  const [account] = accounts.body.items;
  expect(account).toMatchObject({ provider: 'github', provider_account_id: 'ann@example.com' });
  const path = `/connected-accounts/${account.user_id}/github/${account.provider_account_id}/access-token`;
  const token = () => send('POST', path, { ...project, access: 'server', body: { scope: 'repo' } });
  const first = await token();
  expect([first.status, first.body]).toEqual([201, { access_token: expect.any(String) }]);
  expect((await token()).body).toEqual(first.body);
  const profile = await fetch(`${simulator.url}/me`, {
    headers: { authorization: `Bearer ${first.body.access_token}` },
  });
  expect(await profile.json()).toMatchObject({ email: 'ann@example.com' });
  api.advance(3_600_000);
  const second = await token();
  expect(second.status).toBe(201);
  expect(second.body.access_token).not.toBe(first.body.access_token);
});

test('other keys lead to the provider, and so do these keys without the simulator', async () => {
  const { api, send } = await suite(simulatorKeys);
  const real = await createProject(send, { config: github('simulator', 'mine') });
  expect((await browserOf(api, real).begin('github')).location.hostname).toBe('github.com');
  const without = await suite();
  const project = await createProject(without.send, { config: github('simulator', 'simulator') });
  expect((await browserOf(without.api, project).begin('github')).location.hostname).toBe('github.com');
});
