import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

const endpoint = (id: number, projectId = 'shop') => ({ id: `e${id}`, projectId });

test('a new endpoint gets five requests at once, one that works 20, and one that fails two', () => {
  const slots = createSlots();
  expect(slots.room(endpoint(1))).toBe(5);
  slots.note('e1', true);
  expect(slots.room(endpoint(1))).toBe(20);
  slots.take(endpoint(1), 16);
  expect(slots.room(endpoint(1))).toBe(0);
  slots.give(endpoint(1), 5);
  expect(slots.room(endpoint(1))).toBe(0);
  slots.give(endpoint(1), 1);
  expect(slots.room(endpoint(1))).toBe(10);
  slots.give(endpoint(1), 10);
  slots.note('e1', false);
  expect(slots.room(endpoint(1))).toBe(2);
});

/** Begins all requests that endpoints can have. @returns how many */
function fill(slots: ReturnType<typeof createSlots>, endpoints: readonly ReturnType<typeof endpoint>[]): number {
  let count = 0;
  for (const one of endpoints) {
    const room = slots.room(one);
    slots.take(one, room);
    count += room;
  }
  return count;
}

test('endpoints of a project that hang leave a quarter of its requests to those that work', () => {
  const slots = createSlots();
  slots.note('e0', true);
  const hanging = Array.from({ length: 50 }, (_, nth) => endpoint(nth + 1));
  expect(fill(slots, hanging)).toBe(75);
  expect(slots.room(endpoint(0))).toBe(20);
  expect(slots.room(endpoint(0, 'other'))).toBe(20);
});

test('projects whose endpoints fail leave half of the requests of the process to others', () => {
  const slots = createSlots();
  const failing = Array.from({ length: 500 }, (_, nth) => endpoint(nth + 1, `p${nth % 10}`));
  for (const { id } of failing) slots.note(id, false);
  expect(fill(slots, failing)).toBe(150);
  expect(slots.room(endpoint(0, 'new'))).toBe(5);
  slots.note('e0', true);
  expect(slots.room(endpoint(0, 'new'))).toBe(20);
  expect(
    fill(
      slots,
      Array.from({ length: 100 }, (_, nth) => endpoint(1_000 + nth, `q${nth % 10}`)),
    ),
  ).toBe(75);
  expect(slots.room(endpoint(0, 'new'))).toBe(20);
});
