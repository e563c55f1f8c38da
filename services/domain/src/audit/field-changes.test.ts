import { expect, test } from 'vitest';
import { defaultProjectConfig, defaultProjectSettings } from '../project/config.ts';
import { auditedStream } from './audited-streams.ts';
import { fieldChanges } from './field-changes.ts';
import { buildFields, type Fields } from './fields.ts';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const at = '2026-03-02T10:00:00.000Z';
const digest = (json: string) => ({ bytes: Buffer.byteLength(json), sha256: 'hash' });
type Event = { type: string; data: Record<string, unknown> };

function fieldsAfter(stream: string, events: readonly Event[]): Fields {
  const audited = auditedStream(stream);
  if (!audited) throw new Error(`no fields of ${stream}`);
  return audited.fieldsOf(events.reduce(audited.evolve, audited.initialState));
}
/** Of the last event. */
const changesOf = (stream: string, ...events: readonly Event[]) =>
  fieldChanges(fieldsAfter(stream, events.slice(0, -1)), fieldsAfter(stream, events), digest);

const signIn = { provider: null, ip: null, userAgent: null, country: null, clientVersion: null };
const noMetadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
const created = {
  type: 'UserCreated',
  data: {
    ...{ userId: id(1), projectId: 'shop', displayName: 'A', profileImageUrl: null, ...noMetadata },
    ...{ isAnonymous: false, method: 'password', ...signIn, at },
  },
};
const ofUser = (type: string, data: Record<string, unknown>) => ({ type, data: { userId: id(1), ...data, at } });
const rename = (displayName: string | null) => ofUser('UserRenamed', { displayName });

test('check 2: two renames show each value before and after', () => {
  const change = (before: string, after: string) => ({ field: 'display_name', before, after, isRedacted: false });
  expect(changesOf('user-1', created, rename('B'))).toEqual([change('A', 'B')]);
  expect(changesOf('user-1', created, rename('B'), rename('C'))).toEqual([change('B', 'C')]);
});

test('metadata changes key by key', () => {
  const setMetadata = (value: unknown) => ofUser('UserMetadataChanged', { scope: 'client_read_only', value });
  const before = setMetadata({ plan: 'free', seats: 3, 'a.b': 1 });
  const after = setMetadata({ seats: 3, 'a.b': 2, plan: { name: 'pro' } });
  expect(changesOf('user-1', created, before, after)).toEqual([
    { field: 'client_read_only_metadata.plan', before: 'free', after: null, isRedacted: false },
    { field: 'client_read_only_metadata["a.b"]', before: 1, after: 2, isRedacted: false },
    { field: 'client_read_only_metadata.plan.name', before: null, after: 'pro', isRedacted: false },
  ]);
});

test('the same values in another order are not a change', () => {
  const value = { a: [{ x: 1, y: 2 }], b: 2 };
  const reordered = { b: 2, a: [{ y: 2, x: 1 }] };
  const setMetadata = (value: unknown) => ofUser('UserMetadataChanged', { scope: 'client', value });
  expect(changesOf('user-1', created, setMetadata(value), setMetadata(reordered))).toEqual([]);
});

test('secrets are redacted, also when one replaces another', () => {
  const setPassword = (passwordHash: string) => ofUser('UserPasswordSet', { passwordHash, origin: 'update' });
  const [first, second] = [setPassword('hash of the first'), setPassword('hash of the second')];
  expect(changesOf('user-1', created, first)).toEqual([
    { field: 'has_password', before: false, after: true, isRedacted: false },
    { field: 'password', before: null, after: 'redacted', isRedacted: true },
  ]);
  expect(changesOf('user-1', created, first, second)).toEqual([
    { field: 'password', before: 'redacted', after: 'redacted', isRedacted: true },
  ]);
});

test('secrets of a project are redacted, in its configuration document too', () => {
  const project = { projectId: 'shop', subjectId: id(2) };
  const secrets = { oauthClientSecrets: { google: 'canary' }, emailPassword: 'canary' };
  const settings = { config: defaultProjectConfig, settings: defaultProjectSettings };
  const details = { displayName: 'Shop', description: '', isProductionMode: false };
  const noSecrets = { oauthClientSecrets: {}, emailPassword: null };
  const creation = { type: 'ProjectCreated', data: { ...project, ...details, ...settings, secrets: noSecrets, at } };
  const config = { ...defaultProjectConfig, domains: [{ domain: 'https://a.test', handlerPath: '/handler' }] };
  const changed = { type: 'ProjectConfigChanged', data: { ...project, config, secrets, changed: [], at } };
  expect(changesOf('project-shop', creation, changed)).toEqual([
    { field: 'config.domains["https://a.test"].handler_path', before: null, after: '/handler', isRedacted: false },
    { field: 'config.oauth_providers.google.client_secret', before: null, after: 'redacted', isRedacted: true },
    { field: 'config.email_config.password', before: null, after: 'redacted', isRedacted: true },
  ]);
  const override = {
    'auth.oauth.providers.google.clientSecret': 'canary',
    emails: { server: { password: 'canary', host: 'mail.test' } },
    'payments.secret': { live: 'canary', test: { value: 'canary' } },
  };
  const data = { ...project, level: 'environment', override, source: null, at };
  const changes = changesOf('project-shop', creation, { type: 'ConfigOverrideChanged', data });
  expect(changes).toHaveLength(5);
  expect(JSON.stringify(changes)).toContain('mail.test');
  expect(JSON.stringify(changes)).not.toContain('canary');
});

test('a large value is given by size and hash', () => {
  const profileImageUrl = `data:image/png;base64,${'A'.repeat(5_000)}`;
  const image = { bytes: profileImageUrl.length + 2, sha256: 'hash' };
  expect(changesOf('user-1', created, ofUser('UserImageChanged', { profileImageUrl }))).toEqual([
    { field: 'profile_image_url', before: null, after: image, isRedacted: false },
  ]);
});

test('an erased user has no values', () => {
  const erased = { ...created, data: { ...created.data, displayName: null } };
  expect(changesOf('user-1', erased, rename(null))).toEqual([]);
});

test('entries of a list without unique IDs stay one value', () => {
  const { addTree, fields } = buildFields();
  addTree('list', [{ id: 'a' }, { id: 'a' }]);
  expect([...fields.keys()]).toEqual(['list']);
});

test('a list that gets entries without unique IDs is one change, also beside a secret of an entry', () => {
  const listOf = (entries: readonly object[]) => {
    const { addTree, addSecret, fields } = buildFields();
    addTree('list', entries);
    addSecret('list.a.secret', 'canary');
    return fields;
  };
  const entries = [{ id: 'a' }, { id: 'a' }];
  const change = { field: 'list', before: [], after: entries, isRedacted: false };
  expect(fieldChanges(listOf([]), listOf(entries), digest)).toEqual([change]);
});
