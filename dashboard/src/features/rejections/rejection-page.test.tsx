// @vitest-environment happy-dom

import type { Rejection } from '@gatebook/js/admin';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { annId } from '../../testing/samples.ts';
import { RejectionPage } from './rejection-page.tsx';

const rejection: Rejection = {
  requestId: 'k3v9x2m4q7w1z5t8',
  precision: 'request',
  errorCode: 'TEAM_PERMISSION_REQUIRED',
  status: 401,
  route: 'PATCH /teams/:team_id',
  at: new Date('2026-03-01T10:00:00Z'),
  caller: { accessType: 'client', actor: null, userId: annId, network: '203.0.113.0/24' },
  window: null,
  checks: [
    { name: 'Session', passed: true, detail: 'The session is active.' },
    { name: 'Permission', passed: false, detail: '$update_team is missing.' },
    { name: 'Body', passed: null, detail: '' },
  ],
  permissionExplanation: null,
};

const show = (change: Partial<Rejection> = {}) =>
  renderPage(
    <RejectionPage
      explanations={{ rejection: async () => ({ ...rejection, ...change }) }}
      projectId="p1"
      projectName="Shop"
      requestId={rejection.requestId}
    />,
  );

test('the checks of a rejected request are listed up to the one that failed', async () => {
  show();
  expect(await screen.findByText('TEAM_PERMISSION_REQUIRED')).toBeTruthy();
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'SessionThe session is active.',
    'Permission$update_team is missing.',
    'Body',
  ]);
  expect(screen.getByLabelText('Failed')).toBeTruthy();
  expect(screen.getByLabelText('Not checked')).toBeTruthy();
});

test('it says when only the window is known', async () => {
  const rejections = [{ errorCode: 'EMAIL_PASSWORD_MISMATCH', route: 'POST /x', count: 300 }];
  show({ precision: 'window', checks: [], window: { fromMillis: 0, untilMillis: 300_000, rejections } });
  expect(await screen.findByText(/Too many requests were rejected/)).toBeTruthy();
  expect(screen.getByRole('listitem').textContent).toBe('EMAIL_PASSWORD_MISMATCH 300 times within five minutes');
});
