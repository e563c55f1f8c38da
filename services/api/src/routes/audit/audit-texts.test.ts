import { auditTypeOf, listAuditTypes } from '@gatebook/domain/audit/audit-types';
import { catalog } from '@gatebook/domain/catalog';
import type { EventDefinition, Recorded } from '@gatebook/domain/event';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type TextLanguage, textLanguages } from '../../http/text-language.ts';
import { auditText, titleOf } from './audit-texts.ts';
import { inWords } from './english-texts.ts';
import type { AuditEntry, References } from './references.ts';

type Json = z.core.JSONSchema.JSONSchema;
const definitions: Readonly<Record<string, EventDefinition>> = catalog;
const id = '00000000-0000-4000-8000-000000000001';
const canary = 'canary';

/** A value of a schema, in which each text without a form is a canary. */
function sampleOf(schema: Json): unknown {
  const { anyOf, oneOf, properties = {}, items, format } = schema;
  const type = [schema.type].flat().find((one) => one !== 'null');
  const options = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  if (options.length > 0) return options[0];
  const choices = (anyOf ?? oneOf ?? []) as readonly Json[];
  const choice = choices.find((one) => one.type !== 'null');
  if (choice) return sampleOf(choice);
  if (type === 'object') {
    return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, sampleOf(inner as Json)]));
  }
  if (type === 'array') return [sampleOf(items as Json)];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return 2;
  if (type !== 'string') return null;
  const forms: Readonly<Record<string, string>> = { uuid: id, 'date-time': '2026-12-31T12:00:00.000Z' };
  return forms[format ?? ''] ?? canary;
}

const dataOf = (type: string): Record<string, unknown> => {
  const schema = z.toJSONSchema(definitions[type]?.data ?? z.object({}), { unrepresentable: 'any' });
  const data = sampleOf(schema) as Record<string, unknown>;
  return { ...data, ...('changed' in data && { changed: ['displayName'] }), ...('url' in data && { url: null }) };
};

function entryOf(type: string, data: Record<string, unknown>): AuditEntry {
  const { userId = null, teamId = null, object } = auditTypeOf(type)?.targets.of(data) ?? {};
  const metadata = { actor: { kind: 'system', id: null }, origin: null } as unknown as Recorded['metadata'];
  const row = { type, userId, teamId, objectType: object?.type ?? null, objectId: object?.id ?? null };
  return { row: row as AuditEntry['row'], event: { type, data, metadata } as unknown as Recorded };
}

const none = new Map<string, string>();
const referencesOf = (isErased: boolean): References => ({
  names: { users: none, teams: none, projectKeys: none, apiKeys: none, webhookEndpoints: none },
  isErased: () => isErased,
  permissionId: (key) => ({ past: key, current: key }),
  address: () => canary,
});

const said = (language: TextLanguage, type: string, isErased = false) =>
  auditText(language, entryOf(type, dataOf(type)), referencesOf(isErased));

/** Of which no word depends on the language. */
const form: Readonly<Record<TextLanguage, RegExp>> = {
  en: /^[A-Z][^{}„]*[\p{L}\p{N})]$/u,
  de: /^\p{Lu}[^{}]*[\p{L}\p{N})“]$/u,
};

describe.each(textLanguages)('in %s', (language) => {
  test.each(listAuditTypes(() => true))('%s has a title and a complete sentence', (type) => {
    for (const text of [titleOf(language, type), said(language, type), said(language, type, true)]) {
      expect(text).toMatch(form[language]);
      expect(text).not.toMatch(/undefined|null|NaN|\[object| {2}/);
    }
  });

  test('each title is used once', () => {
    const titles = listAuditTypes(() => true).map((type) => titleOf(language, type));
    expect(new Set(titles).size).toBe(titles.length);
  });

  test('no sentence contains a personal field of an erased subject', () => {
    expect(said(language, 'UserRenamed')).toContain(canary);
    expect(said(language, 'TeamCreated')).toContain(canary);
    for (const [type, { personal }] of Object.entries(definitions)) {
      if (!personal) continue;
      const data = dataOf(type);
      const kept = Object.entries(data).filter(([field]) => !personal.fields.includes(field));
      if (JSON.stringify(kept).includes(canary)) continue;
      expect(said(language, type, true), type).not.toContain(canary);
    }
  });
});

test('no sentence or title of one language is that of another one', () => {
  for (const type of listAuditTypes(() => true)) {
    expect(titleOf('de', type), type).not.toBe(titleOf('en', type));
    expect(said('de', type), type).not.toBe(said('en', type));
  }
});

test('names of fields read as words', () => {
  const names = ['displayName', 'allowUserApiKeys', 'oauthProviders', 'idea'];
  expect(names.map(inWords)).toEqual(['display name', 'allow user API keys', 'OAuth providers', 'idea']);
});
