import { expect, test } from 'vitest';
import { groupTypes, typesMatching, withoutCovered } from './type-patterns.ts';

const types = ['user.created', 'user.deleted', 'user_note.created', 'team.created'].map((type) => ({ type }));

test('a wildcard stands for the types of its object, and for no others', () => {
  expect(typesMatching(types, ['user.*', 'team.created']).map(({ type }) => type)).toEqual([
    'user.created',
    'user.deleted',
    'team.created',
  ]);
  expect(typesMatching(types, [])).toEqual(types);
});

test('types that a wildcard contains are left out', () => {
  expect(withoutCovered(['user.created', 'team.created', 'user.*'])).toEqual(['team.created', 'user.*']);
});

test('options are grouped by object, each with its wildcard first', () => {
  const [users, notes] = groupTypes(types);
  expect(users).toEqual({
    group: 'User',
    items: ['user.*', 'user.created', 'user.deleted'].map((value) => ({ value, label: value })),
  });
  expect(notes?.group).toBe('User note');
});
