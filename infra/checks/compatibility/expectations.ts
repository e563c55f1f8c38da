import { newEmail } from '@gatebook/api/testing/requests';
import { expect } from 'vitest';

type Result = { status: 'ok'; data?: unknown } | { status: 'error'; error: unknown };

/** @returns what a call that returns a Result succeeded with */
export function expectOk<Data>(result: Result): Data {
  expect(result).toMatchObject({ status: 'ok' });
  return (result as { data: Data }).data;
}

export function expectCode(result: Result, errorCode: string): void {
  expect(result).toMatchObject({ status: 'error', error: { errorCode } });
}

export const idsOf = (list: readonly { id: string }[]): string[] => list.map(({ id }) => id).sort();

/** The ID of a permission that no other call defines. */
export const newPermissionId = (): string => `p_${newEmail().replace(/\D/g, '')}`;
