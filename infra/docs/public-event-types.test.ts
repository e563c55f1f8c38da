import { readFile } from 'node:fs/promises';
import type {
  PublicEventData as DeclaredData,
  PublicEventOf as DeclaredEvent,
} from '@gatebook/contract/events/public-event-types';
import type { PublicEvent, PublicEventData, PublicEventType } from '@gatebook/js/events';
import { expect, expectTypeOf, test } from 'vitest';
import { publicEventTypesModule } from './public-event-types.ts';

test('the types of the SDK equal the generated module (npm run docs)', async () => {
  const path = new URL('../../sdk/js/src/public-events.ts', import.meta.url);
  expect(await readFile(path, 'utf8')).toBe(publicEventTypesModule());
});

test('the types of the SDK are those of the declaration', () => {
  expectTypeOf<PublicEventData>().toEqualTypeOf<DeclaredData>();
  expectTypeOf<Omit<PublicEvent, 'data'>>().toEqualTypeOf<Omit<DeclaredEvent, 'data'>>();
});

test('the type of an event says what its data is', () => {
  type Narrowed = { [Type in PublicEventType]: Extract<PublicEvent, { type: Type }>['data'] };
  expectTypeOf<Narrowed>().toEqualTypeOf<PublicEventData>();
});
