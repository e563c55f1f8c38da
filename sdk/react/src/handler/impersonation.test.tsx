// @vitest-environment happy-dom

import type { SessionTokens } from '@gatebook/js/core';
import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ann, answers, press, showPage, title } from './testing/show-page.tsx';

const tokensWith = (claims: object): SessionTokens => ({
  accessToken: `.${btoa(JSON.stringify(claims))}.`,
  refreshToken: 'r1',
});
const endsAt = Math.floor(Date.now() / 1_000) + 900;
const impersonating = tokensWith({ is_impersonation: true, name: 'Ann', impersonation_ends_at: endsAt });

test('an impersonation starts when the button is pressed, and its token leaves the address at once', async () => {
  const adopt = vi.fn();
  const session = { adopt, tokensOf: async () => impersonating };
  const { visited } = showPage({ path: 'impersonation#secret', session });
  await title('Act as this user?');
  expect(location.hash).toBe('');
  expect(adopt).not.toHaveBeenCalled();
  await press('Continue');
  await vi.waitFor(() => expect(visited).toHaveLength(1));
  expect(adopt).toHaveBeenCalledExactlyOnceWith(impersonating);
});

test('a session that is none of an impersonator is not used', async () => {
  const own = tokensWith({ is_impersonation: false });
  const adopt = vi.fn();
  const session = { adopt, tokensOf: async () => own };
  const { invalidate, visited } = showPage({ path: 'impersonation#other', session });
  await press('Continue');
  expect(await screen.findByText(/This impersonation has ended/)).toBeTruthy();
  expect(adopt).not.toHaveBeenCalled();
  expect(invalidate).not.toHaveBeenCalled();
  expect(visited).toEqual([]);
});

test('a link without a token says so', async () => {
  showPage({ path: 'impersonation' });
  await title('This link is invalid');
});

test('a banner says on every page who is acted for, and ends it', async () => {
  const signOut = answers(undefined);
  const { invalidate, visited } = showPage({
    path: 'error',
    user: ann,
    auth: { signOut },
    session: { tokens: async () => impersonating },
  });
  expect(await screen.findByText(/^You are acting as Ann until /)).toBeTruthy();
  expect(invalidate).not.toHaveBeenCalled();
  await press('Stop acting');
  await vi.waitFor(() => expect(visited).toHaveLength(1));
  expect(signOut).toHaveBeenCalledOnce();
});

test('an impersonation whose time is over ends itself', async () => {
  const ended = tokensWith({
    is_impersonation: true,
    name: 'Ann',
    impersonation_ends_at: Math.floor(Date.now() / 1_000),
  });
  const { invalidate, visited } = showPage({ path: 'error', user: ann, session: { tokens: async () => ended } });
  await vi.waitFor(() => expect(invalidate).toHaveBeenCalledOnce());
  await vi.waitFor(() => expect(visited).toHaveLength(1));
});

test('nobody else sees the banner', async () => {
  showPage({ path: 'error', user: ann, session: { tokens: async () => tokensWith({ is_impersonation: false }) } });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(screen.queryByText(/acting as/)).toBeNull();
});
