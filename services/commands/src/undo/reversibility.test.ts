import { catalog } from '@gatebook/domain/catalog';
import { describe, expect, test } from 'vitest';
import { reversibility, reversibilityOfAll } from './reversibility.ts';

test('check 24: every type of event says whether it can be undone', () => {
  expect(Object.keys(reversibility).sort()).toEqual(Object.keys(catalog).sort());
  for (const [type, one] of Object.entries(reversibility)) {
    if ('reason' in one) expect(one.reason, type).toMatch(/^[A-Z].*\.$/);
  }
});

describe('an action', () => {
  test('can be undone with all its events', () => {
    expect(reversibilityOfAll(['UserRenamed', 'ValueReserved'])).toEqual({ isReversible: true, reasons: [] });
  });
  test('tells what stays', () => {
    const reasons = ['Ended sessions stay ended.'];
    expect(reversibilityOfAll(['UserRestricted', 'UserSessionsEnded'])).toEqual({ isReversible: true, reasons });
  });
  test('can’t be undone in part', () => {
    const { isReversible, reasons } = reversibilityOfAll(['UserRenamed', 'UserPasswordSet', 'UserSessionsEnded']);
    expect(isReversible).toBe(false);
    expect(reasons).toHaveLength(1);
  });
  test('that transfers a project can’t be undone', () => {
    const reasons = ['To undo a transfer, transfer the project back.'];
    expect(reversibilityOfAll(['ProjectOwnerTeamChanged', 'ProjectOwnerRemoved'])).toEqual({
      isReversible: false,
      reasons,
    });
  });
  test('without anything to restore can’t be undone', () => {
    expect(reversibilityOfAll(['UserSessionsEnded']).isReversible).toBe(false);
    expect(reversibilityOfAll(['RequestDecided'])).toEqual({ isReversible: false, reasons: [] });
  });
});
