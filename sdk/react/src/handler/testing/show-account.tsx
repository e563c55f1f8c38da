import type { ContactChannel, CurrentUser, OwnChanges } from '@gatebook/js/core';
import { screen, within } from '@testing-library/react';
import { afterEach, vi } from 'vitest';
import { ann, type Fake, showPage, title } from './show-page.tsx';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

export const channel = (change: Partial<ContactChannel> = {}): ContactChannel => ({
  id: 'c1',
  userId: 'u1',
  value: 'ann@example.com',
  isPrimary: true,
  isVerified: true,
  usedForAuth: true,
  ...change,
});
export const second = channel({ id: 'c2', value: 'two@example.com', isPrimary: false, usedForAuth: false });
export const fresh = channel({
  id: 'c3',
  value: 'new@example.com',
  isPrimary: false,
  usedForAuth: false,
  isVerified: false,
});

/** Shows a tab for Ann; saved changes are shown from then on. */
export async function show(
  tab: string,
  { user = {}, ...fake }: Omit<Partial<Fake>, 'user'> & { user?: Partial<CurrentUser> } = {},
) {
  let current: CurrentUser = { ...ann, ...user };
  const update = vi.fn(async ({ totpSecret, ...changes }: OwnChanges) => {
    current = {
      ...current,
      ...changes,
      ...(totpSecret !== undefined && { isMultiFactorRequired: totpSecret !== null }),
    };
    return current;
  });
  const shown = showPage({
    path: `account-settings${tab}`,
    user: () => current,
    ...fake,
    me: { update, ...fake.me },
    channels: { list: async () => [channel()], ...fake.channels },
  });
  await title('Account settings');
  return { ...shown, update };
}

export const section = async (name: string) => within(await screen.findByRole('region', { name }));
