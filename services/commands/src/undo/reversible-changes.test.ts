import { apiKeyEvents } from '@gatebook/domain/api-key/events';
import { auditedStream } from '@gatebook/domain/audit/audited-streams';
import { type FieldChange, fieldChanges, redacted } from '@gatebook/domain/audit/field-changes';
import type { Fields, Json } from '@gatebook/domain/audit/fields';
import { catalog } from '@gatebook/domain/catalog';
import type { DomainEvent } from '@gatebook/domain/event';
import { membershipEvents } from '@gatebook/domain/membership/events';
import { projectEvents } from '@gatebook/domain/project/events';
import { projectKeyEvents } from '@gatebook/domain/project-key/events';
import { teamEvents } from '@gatebook/domain/team/events';
import { userEvents } from '@gatebook/domain/user/events';
import { webhookEvents } from '@gatebook/domain/webhook/events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { isReversible, reversibility } from './reversibility.ts';

const ids = [1, 2].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
const times = ['2026-03-02T10:00:00.000Z', '2026-04-02T10:00:00.000Z'];
const texts = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'b') }, fc.string({ maxLength: 6 }));

/** Values of a schema, of which few are possible, so that an event often meets what an earlier one made. */
function valuesOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object': {
      const fields = Object.entries(def.shape).map(([key, field]) => [key, valuesOf(field)] as const);
      return fc.record(Object.fromEntries(fields));
    }
    case 'array':
      return fc.array(valuesOf(def.element), { maxLength: 3 });
    case 'record':
      return fc.dictionary(texts, valuesOf(def.valueType), { maxKeys: 3 });
    case 'nullable':
      return fc.option(valuesOf(def.innerType), { nil: null });
    case 'optional':
      return fc.option(valuesOf(def.innerType), { nil: undefined });
    case 'default':
      return valuesOf(def.innerType);
    case 'union':
      return fc.oneof(...def.options.map(valuesOf));
    case 'lazy':
      return fc.jsonValue({ maxDepth: 2 });
    case 'string':
      return formatOf(def) === 'uuid' ? fc.constantFrom(...ids) : formatOf(def) ? fc.constantFrom(...times) : texts;
    case 'number':
      return fc.integer({ min: 1, max: 90 });
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries).slice(0, 3));
    case 'literal':
      return fc.constantFrom(...def.values);
    default:
      throw new Error(`no values of ${def.type}`);
  }
}
const formatOf = (def: object) => ('format' in def ? def.format : undefined);

type Type = keyof typeof catalog;
/** As it is read from the log: as JSON. */
const eventsOf = (type: Type, fixed: Record<string, unknown> = {}): fc.Arbitrary<DomainEvent> =>
  valuesOf(catalog[type].data).map((data) =>
    JSON.parse(JSON.stringify({ type, data: { ...(data as object), ...fixed } })),
  );

/** The events of an object, by the category of its stream. */
const definitions: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  user: userEvents,
  team: teamEvents,
  membership: membershipEvents,
  project: projectEvents,
  projectkey: projectKeyEvents,
  apikey: apiKeyEvents,
  webhook: webhookEvents,
};
/** What an object begins with. */
const beginnings: Readonly<Record<string, readonly fc.Arbitrary<DomainEvent>[]>> = {
  user: [eventsOf('UserCreated'), eventsOf('ContactChannelAdded', { channelId: ids[0], isPrimary: true })],
  team: [eventsOf('TeamCreated')],
  membership: [eventsOf('TeamMemberAdded')],
  project: [eventsOf('ProjectCreated'), eventsOf('EmailTemplateChanged'), eventsOf('PermissionDefinitionCreated')],
  projectkey: [eventsOf('ProjectKeyCreated')],
  apikey: [eventsOf('ApiKeyCreated')],
  webhook: [eventsOf('WebhookEndpointCreated')],
};

const reversibleTypes = (Object.keys(reversibility) as Type[]).filter(isReversible);
const typesOf = (category: string) => reversibleTypes.filter((type) => type in (definitions[category] ?? {}));

const digest = (json: string) => ({ bytes: json.length, sha256: json });
const isEmpty = (value: Json) => /^(\{\}|\[\])$/.test(JSON.stringify(value));
type Values = ReadonlyMap<string, Json>;

/** As they are shown. An empty object or list is told by the entries that it gets or loses. */
const shownOf = (fields: Fields): Values =>
  new Map(
    [...fields].flatMap(([name, { value, isSecret }]) =>
      isEmpty(value) ? [] : [[name, isSecret ? redacted : value] as const],
    ),
  );

/** What one side of each change makes of the values. */
function applyChanges(values: Values, changes: readonly FieldChange[], side: 'before' | 'after'): Values {
  const made = new Map(values);
  for (const { field, [side]: value } of changes) {
    if (value === null || isEmpty(value)) made.delete(field);
    else made.set(field, value);
  }
  return made;
}

describe('check 2', () => {
  /** Types whose events changed a field. */
  const changing = new Set<string>();

  test.each(Object.keys(definitions))(
    'the values of a %s after each reversible event follow from those before and its changes, and the other way round',
    (category) => {
      const later = fc.oneof(...typesOf(category).map((type) => eventsOf(type)));
      const histories = fc.tuple(
        fc.tuple(...(beginnings[category] ?? [])),
        fc.array(later, { minLength: 1, maxLength: 12 }),
      );
      const { initialState, evolve, fieldsOf } =
        auditedStream(`${category}-1`) ?? expect.fail(`no fields of ${category}`);
      fc.assert(
        fc.property(histories, ([first, events]) => {
          let state = first.reduce(evolve, initialState);
          for (const event of events) {
            const before = fieldsOf(state);
            state = evolve(state, event);
            const after = fieldsOf(state);
            const changes = fieldChanges(before, after, digest);
            if (changes.length > 0) changing.add(event.type);
            expect(applyChanges(shownOf(before), changes, 'after')).toEqual(shownOf(after));
            expect(applyChanges(shownOf(after), changes, 'before')).toEqual(shownOf(before));
          }
        }),
        { numRuns: 150, seed: 2 },
      );
    },
  );

  test('is tested for each type of event that can be undone', () => {
    expect(reversibleTypes.filter((type) => !changing.has(type))).toEqual([]);
  });
});
