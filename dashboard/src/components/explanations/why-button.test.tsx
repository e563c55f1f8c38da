// @vitest-environment happy-dom

import type { PermissionExplanation, PermissionStep } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { annId } from '../../testing/samples.ts';
import { WhyButton } from './why-button.tsx';

const cause = {
  id: 'e7',
  type: 'TeamPermissionGranted',
  at: new Date('2026-03-01T10:00:00Z'),
  actor: { kind: 'owner', id: 'o', displayName: 'Maya', impersonator: null },
};
const grant: PermissionStep = {
  kind: 'grant',
  permissionId: 'admin',
  containedPermissionId: null,
  holds: true,
  relevance: 'high',
  sinceEvent: cause,
  untilEvent: null,
};
const containment: PermissionStep = {
  ...grant,
  kind: 'containment',
  containedPermissionId: 'billing',
  sinceEvent: null,
};
const explanation: PermissionExplanation = {
  isGranted: true,
  scope: 'team',
  permissionId: 'billing',
  userId: annId,
  teamId: 't1',
  asOfEventId: null,
  paths: [{ steps: [grant, containment] }],
  nearestMiss: null,
  wouldGrant: [],
  isTruncated: false,
};

async function explain(change: Partial<PermissionExplanation> = {}, onGrant = (_: string) => {}) {
  const permission = async () => ({ ...explanation, ...change });
  renderPage(
    <WhyButton
      explanations={{ permission }}
      projectId="p1"
      userId={annId}
      permissionId="billing"
      teamId="t1"
      onGrant={onGrant}
    />,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Why billing?' }));
  return screen.findByRole('dialog', { name: 'Why billing?' });
}

test('each step of a granted permission names the event behind it', async () => {
  const dialog = await explain();
  const steps = (await within(dialog).findAllByRole('listitem')).map(({ textContent }) => textContent);
  expect(steps[0]).toContain('Granted admin');
  expect(steps[0]).toContain('by Maya (owner)');
  expect(steps[1]).toBe('admin contains billing');
  const link = within(dialog).getByRole('link').getAttribute('href');
  expect(link).toContain('/projects/p1/audit-log?event=e7');
});

test('a missing permission shows what is missing, and prepares a grant that would be enough', async () => {
  const onGrant = vi.fn();
  const ended = { ...grant, holds: false, untilEvent: cause };
  const dialog = await explain(
    {
      isGranted: false,
      paths: [],
      nearestMiss: { steps: [ended, containment] },
      wouldGrant: ['billing', 'admin'],
    },
    onGrant,
  );
  expect(await within(dialog).findByText(/The user does not have/)).toBeTruthy();
  expect(within(dialog).getByLabelText('Does not hold')).toBeTruthy();
  expect(dialog.textContent).toContain('until Mar 1, 2026');
  expect(within(dialog).getByRole('button', { name: 'Grant billing' })).toBeTruthy();
  fireEvent.click(within(dialog).getByRole('button', { name: 'Grant admin' }));
  expect(onGrant).toHaveBeenCalledExactlyOnceWith('admin');
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
});
