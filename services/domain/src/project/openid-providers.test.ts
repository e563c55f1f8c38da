import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from './config.ts';
import { projectDecider } from './decide.ts';
import type { ProjectEvent } from './events.ts';
import { issuerFault, openIdProviderIdFault } from './openid-providers.ts';

const at = '2026-01-15T12:00:00.000Z';
const projectId = '00000000-0000-4000-8000-000000000001';
const subjectId = '00000000-0000-4000-8000-000000000002';
const details = { displayName: 'Shop', description: '', isProductionMode: false };
const created: ProjectEvent = {
  type: 'ProjectCreated',
  data: {
    ...{ projectId, subjectId, ...details, at },
    ...{ config: defaultProjectConfig, secrets: noProjectSecrets, settings: defaultProjectSettings },
  },
};
const acme = { id: 'acme', issuer: 'https://id.acme.example', clientId: 'shop', displayName: 'Acme' };
const github = { id: 'github', type: 'standard', clientId: 'gh' } as const;
const set = (provider: Partial<typeof acme> = {}, clientSecret = 'secret') =>
  ({ type: 'SetOpenIdProvider', provider: { ...acme, ...provider }, clientSecret, at }) as const;
const remove = (id: string) => ({ type: 'RemoveOpenIdProvider', id, at }) as const;
const changed = (
  oauthProviders: (typeof defaultProjectConfig)['oauthProviders'],
  oauthClientSecrets: Record<string, string>,
): ProjectEvent => ({
  type: 'ProjectConfigChanged',
  data: {
    ...{ projectId, subjectId, at, changed: ['oauthProviders', 'oauthClientSecrets'] },
    config: { ...defaultProjectConfig, oauthProviders },
    secrets: { oauthClientSecrets, emailPassword: null },
  },
});
const stored = { ...acme, type: 'openid' } as const;
const withAcme = changed([stored], { acme: 'secret' });
const withBoth = changed([stored, github], { acme: 'secret', github: 'gh-secret' });

describe('an OpenID provider', () => {
  test('is added with its secret', () => given(projectDecider, created).when(set()).then(withAcme));
  test('is added once', () => given(projectDecider, created, withAcme).when(set()).then());
  test('is replaced by one with the same ID', () =>
    given(projectDecider, created, withAcme)
      .when(set({ issuer: 'https://new.example' }, 'new'))
      .then(changed([{ ...stored, issuer: 'https://new.example' }], { acme: 'new' })));
  test('is removed with its secret', () =>
    given(projectDecider, created, withAcme).when(remove('acme')).then(changed([], {})));
  test('that is absent changes nothing when removed', () =>
    given(projectDecider, created, withBoth).when(remove('github')).then());

  test('stays when the other providers are replaced', () =>
    given(projectDecider, created, withAcme)
      .when({
        type: 'ChangeConfig',
        config: { oauthProviders: [github] },
        secrets: { oauthClientSecrets: { github: 'gh-secret' } },
        keepsOpenIdProviders: true,
        at,
      })
      .then(withBoth));

  test('is removed by a complete list without it', () =>
    given(projectDecider, created, withAcme)
      .when({ type: 'ChangeConfig', config: { oauthProviders: [] }, secrets: {}, at })
      .then(changed([], {})));

  test.each([
    [{ id: 'google' }, 'The provider ID is the ID of another sign-in method'],
    [{ id: 'Acme' }, 'The provider ID must be an ID of up to 63 lower-case letters, digits and -'],
    [{ issuer: 'http://acme.example' }, 'The issuer must begin with https://'],
  ])('with %j is rejected', (wrong, message) =>
    given(projectDecider, created).when(set(wrong)).thenRejected('SCHEMA_ERROR', { message }),
  );

  test('is rejected if there are 50 already', () => {
    const many = Array.from({ length: 50 }, (_, nth) => ({ ...stored, id: `acme-${nth}` }));
    const secrets = Object.fromEntries(many.map(({ id }) => [id, 'secret']));
    const message = 'A project can have 50 OpenID Connect providers';
    return given(projectDecider, created, changed(many, secrets)).when(set()).thenRejected('SCHEMA_ERROR', { message });
  });
});

test.each(['acme', 'a', 'acme-eu-1', '0', 'a'.repeat(63)])('%s can be the ID of a provider', (id) =>
  expect(openIdProviderIdFault(id)).toBeNull(),
);
test.each([
  '',
  'Acme',
  'acme_eu',
  '-acme',
  'acme-',
  'a/b',
  'a.b',
  'a'.repeat(64),
  'x',
  'github',
  'password',
  'constructor',
])('%j can not be the ID of a provider', (id) => expect(openIdProviderIdFault(id)).not.toBeNull());

test.each(['https://acme.example', 'https://acme.example/', 'https://kc.example/realms/x', 'http://localhost:8080'])(
  '%s can be an issuer',
  (issuer) => expect(issuerFault(issuer)).toBeNull(),
);
test.each([
  ...['', 'acme.example', 'http://acme.example', 'ftp://acme.example', 'https://u:p@acme.example'],
  ...['https://acme.example?x', 'https://acme.example/#x', 'https://acme.example/a b'],
  'https://login.example/{tenantid}/v2.0',
  'https://acme.example/.well-known/openid-configuration',
])('%j can not be an issuer', (issuer) => expect(issuerFault(issuer)).not.toBeNull());
