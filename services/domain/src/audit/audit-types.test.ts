import { expect, test } from 'vitest';
import type { z } from 'zod';
import { catalog } from '../catalog.ts';
import type { EventDefinition } from '../event.ts';
import { auditCategories, auditTypeOf, listAuditTypes } from './audit-types.ts';
import { secretFields, shownData, withoutErased } from './event-data.ts';

const definitions = Object.entries<EventDefinition>(catalog);
const digest = (json: string) => ({ bytes: json.length, sha256: 'hash' });

test.each(definitions)('check 1: %s has a category, a title and targets', (type, { data }) => {
  const entry = auditTypeOf(type);
  expect(auditCategories).toContain(entry?.category);
  expect(entry?.title).toMatch(/^[A-Z][A-Za-z ,-]+[a-z]$/);
  const fields = Object.keys((data as z.ZodObject).shape);
  // The history of a user or team contains each event that names it.
  if (fields.includes('userId')) expect(entry?.targets.types).toContain('user');
  if (fields.includes('teamId')) expect(entry?.targets.types).toContain('team');
});

test('check 1: each title is used once', () => {
  const titles = listAuditTypes(() => true).map((type) => auditTypeOf(type)?.title);
  expect(new Set(titles).size).toBe(titles.length);
});

test('targets name what their types say', () => {
  const ids = {
    userId: 'u',
    teamId: 't',
    projectId: 'p',
    keyId: 'k',
    emailId: 'e',
    mailingId: 'm',
    sessionId: 's',
    batchId: 'b',
  };
  const data = {
    ...ids,
    key: 'x',
    permissionKey: 'x',
    templateType: 'x',
    holderId: 'u',
    ownerType: 'user',
    ownerId: 'u',
  };
  for (const type of listAuditTypes(() => true)) {
    const { types = [], of } = auditTypeOf(type)?.targets ?? {};
    const { userId, teamId, object } = of?.(data) ?? {};
    const named = [userId && 'user', teamId && 'team', object?.type].filter(Boolean);
    expect(types, type).toEqual(expect.arrayContaining(named));
  }
});

/** Words of secrets that name something else. */
const harmless = ['hasPassword', 'passwordMatches', 'origin'];

test('check 7: fields of events whose names sound like secrets are not shown', () => {
  const fields = definitions.flatMap(([, { data }]) => Object.keys((data as z.ZodObject).shape));
  const suspicious = fields.filter((field) =>
    /hash|secret|token|password|passkey|ref$|refs$|payload|code/i.test(field),
  );
  const shown = suspicious.filter((field) => !secretFields.has(field) && !harmless.includes(field));
  expect([...new Set(shown)]).toEqual(['countryCode']);
});

test('secrets are redacted and large values are given by size and hash', () => {
  const data = { userId: 'u', passwordHash: 'canary', secret: null, profileImageUrl: 'x'.repeat(5_000) };
  expect(shownData(data, digest)).toEqual({
    userId: 'u',
    passwordHash: 'redacted',
    secret: null,
    profileImageUrl: { bytes: 5_002, sha256: 'hash' },
  });
});

test('of the content of a mailing, values of variables are redacted, and the text is given by size', () => {
  const content = { subject: 'News', html: '<p>Dear Ann</p>', variables: { name: 'Ann' } };
  expect(shownData({ mailingId: 'm', content }, digest)).toEqual({
    mailingId: 'm',
    content: { subject: 'News', html: { bytes: 17, sha256: 'hash' }, variables: 'redacted' },
  });
  expect(shownData({ content: null }, digest)).toEqual({ content: null });
});

test('check 11: personal fields of an erased subject are empty before its key is destroyed', () => {
  const data = { userId: 'u', displayName: 'Ann', at: 'then' };
  const isErased = (id: string) => id === 'u';
  expect(withoutErased(data, catalog.UserRenamed, isErased)).toEqual({ ...data, displayName: null });
  expect(withoutErased(data, catalog.UserRenamed, () => false)).toBe(data);
});
