// @vitest-environment happy-dom

import type { AuditClient } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { MomentContext } from '../../lib/moment.ts';
import { noAudit } from '../../testing/clients.ts';
import { renderPage } from '../../testing/render.tsx';
import { annId, sampleAuditEvent } from '../../testing/samples.ts';
import { CauseButton } from './cause-button.tsx';

const joined = (id: string, teamId: string) =>
  sampleAuditEvent({
    id,
    text: 'Added to the team',
    targets: [
      { type: 'user', id: annId, displayName: 'Ann', isErased: false },
      { type: 'team', id: teamId, displayName: 'Editors', isErased: false },
    ],
  });
const invitation = sampleAuditEvent({ id: 'e8', text: 'Used an invitation', actionId: 'request-e2' });
const sent = sampleAuditEvent({ id: 'e1', text: 'Sent an invitation', actionId: 'earlier' });

async function explain(list: AuditClient['list'], moment: string | null = null) {
  const audit: AuditClient = {
    ...noAudit,
    list,
    find: async () => ({
      ...joined('e2', 't1'),
      changes: [],
      data: {},
      effects: [],
      undo: { state: 'possible', reasons: [] },
      actionsSameRequest: [invitation],
    }),
    findChain: async () => ({ actionId: 'earlier', causes: [invitation, sent], effects: [], isTruncated: false }),
  };
  renderPage(
    <MomentContext value={{ value: moment, set: () => {} }}>
      <CauseButton
        audit={audit}
        projectId="p1"
        question="Why is Ann a member?"
        filters={{ type: 'TeamMemberAdded', targetType: 'user', targetId: annId }}
        targetId="t1"
      />
    </MomentContext>,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Why is Ann a member?' }));
  return screen.findByRole('dialog', { name: 'Why is Ann a member?' });
}

test('a membership is explained by the newest event of its team, and what led to it', async () => {
  const dialog = await explain(async ({ cursor } = {}) =>
    cursor ? { items: [joined('e2', 't1')], nextCursor: null } : { items: [joined('e3', 't2')], nextCursor: 'rest' },
  );
  expect(await within(dialog).findByText(/Added to the team/)).toBeTruthy();
  expect(
    within(dialog)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual([expect.stringContaining('Sent an invitation'), expect.stringContaining('Used an invitation')]);
  expect(await within(dialog).findByText('e2')).toBeTruthy();
});

test('at a moment of the past, later events explain nothing', async () => {
  const dialog = await explain(async ({ untilMillis } = {}) => {
    return { items: untilMillis === 1_001 ? [] : [joined('e2', 't1')], nextCursor: null };
  }, '1000');
  expect(await within(dialog).findByText('The audit log has no event that explains this.')).toBeTruthy();
});
