import { eventFields, fieldOf, typesWithField, userOf } from '@gatebook/domain/public-events/event-fields';
import { publicEventTypes } from '@gatebook/domain/public-events/types';
import { describe, expect, test } from 'vitest';
import { CustomMetricPatch, NewCustomMetric } from './custom-metrics.ts';
import { exampleIds } from './events/examples.ts';
import { publicEventDefinitions } from './events/public-event-types.ts';

const eventOf = (type: (typeof publicEventTypes)[number], data: Record<string, unknown>) => ({
  ...{ type, actor: { kind: 'user' }, data },
});
const shapes = publicEventTypes.map((type) => [type, publicEventDefinitions[type]] as const);

describe('fields of events', () => {
  test.each(eventFields)('%s is there in all types that have it', (field) => {
    expect(typesWithField(field).length).toBeGreaterThan(0);
    for (const type of typesWithField(field)) {
      const { data } = publicEventDefinitions[type];
      const filled = Object.fromEntries(Object.keys(data.shape).map((name) => [name, `value of ${name}`]));
      expect(fieldOf(eventOf(type, filled), field), type).not.toBeNull();
    }
  });

  test.each([
    'method',
    'provider_id',
    'second_factor',
    'is_impersonation',
    'is_anonymous',
    'reason',
    'team_id',
  ] as const)('%s is known of every type whose data has it', (field) => {
    const having = shapes.filter(([, { data }]) => field in data.shape).map(([type]) => type);
    expect(typesWithField(field)).toEqual(expect.arrayContaining(having));
  });

  test('every event of a user says who it is', () => {
    const ofUsers = shapes.filter(
      ([type, { data }]) => 'user_id' in data.shape || /^user\.(created|updated|deleted|erased)$/.test(type),
    );
    expect(ofUsers.length).toBeGreaterThan(20);
    for (const [type, { example }] of ofUsers) {
      if ('user_id' in example && example.user_id === null) continue;
      expect(userOf(eventOf(type, example)), type).toBe(exampleIds.user);
    }
  });
});

describe('a definition', () => {
  const metric = { display_name: 'Sign-ins', event_types: ['user.signed_in'], unit: 'day' };
  const isValid = (given: object) => NewCustomMetric.safeParse({ ...metric, ...given }).success;

  test('has one to ten types of events, also beginnings of some', () => {
    expect(isValid({})).toBe(true);
    expect(isValid({ event_types: ['user.*', 'team.created'] })).toBe(true);
    for (const event_types of [[], ['user.unknown'], ['nothing.*'], Array.from({ length: 11 }, () => 'user.*')]) {
      expect(isValid({ event_types })).toBe(false);
    }
  });

  test('filters and groups by fields that its events have, never by users', () => {
    expect(isValid({ filter: { method: 'otp' }, group_by: 'provider_id' })).toBe(true);
    for (const given of [{ filter: { reason: 'x' } }, { group_by: 'team_id' }, { filter: { user_id: 'x' } }]) {
      expect(isValid(given)).toBe(false);
    }
    expect(CustomMetricPatch.safeParse({ group_by: 'team_id' }).success).toBe(true);
    expect(CustomMetricPatch.safeParse({ event_types: ['user.*'], group_by: 'team_id' }).success).toBe(false);
  });
});
