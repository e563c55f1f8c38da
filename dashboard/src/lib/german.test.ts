// @vitest-environment happy-dom
import { systemPermissions } from '@gatebook/domain/permission/definition';
import * as library from '@gatebook/js/core';
import { AnswerError, ConnectionError, KnownError } from '@gatebook/js/errors';
import { beforeAll, expect, test } from 'vitest';

/** All modules, loaded for a person who chose German. */
async function loadGerman() {
  localStorage.setItem('gatebook-language', 'de');
  const [format, devices, actors, errors, library, permissions] = await Promise.all([
    import('./format.ts'),
    import('./device-name.ts'),
    import('../components/audit/audit-pages.ts'),
    import('./error-text.ts'),
    import('./library-texts.ts'),
    import('./permission-description.ts'),
  ]);
  return { ...format, ...devices, ...actors, ...errors, ...library, ...permissions };
}
let german: Awaited<ReturnType<typeof loadGerman>>;
beforeAll(async () => {
  german = await loadGerman();
});

test('numbers have the separators of German', () => {
  const { formatCount, formatDecimal, formatPercent, formatExactPercent } = german;
  expect([formatCount(2_215), formatDecimal(1.5)]).toEqual(['2.215', '1,5']);
  expect([0.5, 0.01].map(formatPercent)).toEqual(['50\u00a0%', '1\u00a0%']);
  expect([1, 0.9999, 0].map(formatExactPercent)).toEqual(['100\u00a0%', '99,9\u00a0%', '0\u00a0%']);
});

test('devices are named in German', () => {
  const names = ['Chrome on Linux', 'Firefox on unknown system', 'Unknown browser on iOS', 'curl'];
  expect(names.map(german.translateDevice)).toEqual(['Chrome auf Linux', 'Firefox', 'iOS', 'curl']);
});

test('actors are in the case that follows “von”', () => {
  const kinds = ['user', 'owner', 'server', 'admin', 'client', 'operator'];
  const unnamed = { id: null, displayName: null, impersonator: null, isErased: false };
  expect(kinds.map((kind) => german.describeActor({ kind, ...unnamed }))).toEqual([
    'einem Benutzer',
    'einem Eigentümer',
    'Ihrem Server',
    'einem Admin-Schlüssel',
    'einem nicht angemeldeten Besucher',
    'dem Betreiber',
  ]);
});

test('errors that the client library describes are in German, with their values', () => {
  const errors = [
    new ConnectionError(true, {}, null),
    new ConnectionError(false, {}, null),
    new KnownError('USER_AUTHENTICATION_REQUIRED', 401, 'x'),
    new AnswerError('u', 503, ''),
    new AnswerError('u', 500, ''),
    new AnswerError('u', 500, '', '‹id›'),
    undefined,
  ];
  const texts = errors.map(german.errorText);
  expect(texts.map((text, nth) => text === library.errorText(errors[nth]))).toEqual(errors.map(() => false));
  expect(texts.slice(4, 6)).toEqual([
    'Der Server hat einen Fehler gemeldet (500).',
    'Der Server hat einen Fehler gemeldet (500). Anfrage-ID: ‹id›.',
  ]);
});

test('errors of the API stay as the API says them', () => {
  expect(german.errorText(new KnownError('TEAM_NOT_FOUND', 404, 'Das Team a gibt es nicht.'))).toBe(
    'Das Team a gibt es nicht.',
  );
  expect(german.errorText(new AnswerError('u', 404, 'Sitzung nicht gefunden.'))).toBe('Sitzung nicht gefunden.');
});

test('faults of what a person enters are in German', () => {
  expect(german.emailFault('ann@example.com')).toBeNull();
  expect(german.emailFault('ann')).toMatch(/^Geben Sie .* ein, etwa ann@example\.com$/);
  expect(['x', 'x'.repeat(71)].map(german.newPasswordFault)).toEqual([
    'Verwenden Sie mindestens 8 Zeichen',
    'Verwenden Sie höchstens 70 Zeichen',
  ]);
});

test('system permissions are described in German, and no others', () => {
  const described = systemPermissions.map(({ id, description }) => ({ id, description: description ?? '' }));
  expect(described.filter((one) => german.describePermission(one) === one.description)).toEqual([]);
  expect(german.describePermission({ id: 'edit', description: 'Edit posts' })).toBe('Edit posts');
});
