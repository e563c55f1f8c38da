// @vitest-environment happy-dom

import { callOfProjectTransfer } from '@gatebook/js/admin';
import { createMemoryTokenStore } from '@gatebook/js/core';
import { createOwnerClient } from '@gatebook/js/owner-client';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ChangesContext } from '../../lib/changes.ts';
import { createShownPreviews, type ShownPreview, ShowPreviewContext } from '../../lib/shown-previews.ts';
import { renderPage } from '../../testing/render.tsx';
import { annId } from '../../testing/samples.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { OwnerPreviews } from './owner-previews.tsx';
import { PreviewNote } from './preview-note.tsx';

type Written = { method: string; path: string; ifMatch: string | null };

/** A server whose users have a revision and as many sessions. Each write raises the revision. */
function createServer() {
  const server = { revision: 1, written: [] as Written[] };
  const answer = (json: unknown, headers: Record<string, string> = {}) =>
    new Response(JSON.stringify(json), { headers: { 'content-type': 'application/json', ...headers } });
  const fetch = async (url: string, { method = 'GET', headers, body }: RequestInit) => {
    const path = url.replace('http://gate.test/api/v1', '');
    const { revision } = server;
    if (path === '/internal/previews') {
      const call = JSON.parse(String(body));
      const effect = { kind: 'sessions_ended', count: revision, text: `Ends ${revision} sessions` };
      return answer({
        ...{ status: 200, body: null, error: null, changes: [], events: [], is_reversible: true },
        effects: [{ ...effect, permission_id: null, people: null, has_more_people: false }],
        changed_since: call.since && [{ type: 'SessionStarted', targets: [], text: 'Signed in', is_technical: false }],
        ...{ irreversible_reasons: [], etag: `${call.method} ${call.path} ${revision}` },
      });
    }
    const ifMatch = new Headers(headers).get('if-match');
    server.written.push({ method, path, ifMatch });
    if (ifMatch === null || ifMatch === `"${method} ${path} ${revision}"`) {
      server.revision += 1;
      return answer({});
    }
    const outdated = { 'x-stack-known-error': 'PREVIEW_OUTDATED', 'x-stack-actual-status': '412' };
    return answer({ code: 'PREVIEW_OUTDATED', error: 'outdated', details: { changed: [] } }, outdated);
  };
  const network = { fetch, pause: async () => {}, random: () => 0.5, now: () => 0, isOnline: () => true };
  const previews = createShownPreviews();
  const client = createOwnerClient({
    ...{
      baseUrl: 'http://gate.test',
      projectId: 'internal',
      publishableClientKey: 'k',
      tokenStore: createMemoryTokenStore(),
    },
    ...{ network, sendThrough: previews.sendThrough },
  });
  return { server, client, admin: client.admin('p1'), previews };
}

type Shown = Pick<ReturnType<typeof createServer>, 'admin' | 'previews'>;
const inProject = ({ admin, previews }: Shown, children: React.ReactNode) => (
  <ChangesContext value={admin.changes}>
    <ShowPreviewContext value={(shown) => previews.show('p1', shown)}>{children}</ShowPreviewContext>
  </ChangesContext>
);
const call = { method: 'DELETE', path: `/users/${annId}` } as const;

async function openDialog(shown: Shown, onClose: () => void = () => {}) {
  const onConfirm = () => shown.admin.users.delete(annId);
  renderPage(
    inProject(
      shown,
      <ConfirmDialog isOpen title="Delete?" confirmLabel="Delete" {...{ call, onConfirm, onClose }}>
        Really
      </ConfirmDialog>,
    ),
  );
  const dialog = await screen.findByRole('dialog', { name: 'Delete?' });
  await within(dialog).findByText('Ends 1 sessions');
  return { dialog, confirm: () => fireEvent.click(within(dialog).getByRole('button', { name: 'Delete' })) };
}

test('a confirmed write is made with the ETag of the preview that is shown', async () => {
  const { server, ...shown } = createServer();
  const onClose = vi.fn();
  const { confirm } = await openDialog(shown, onClose);
  confirm();
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(server.written).toEqual([{ ...call, ifMatch: `"DELETE ${call.path} 1"` }]);
});

test('after another change, nothing is written until the new preview is confirmed', async () => {
  const { server, ...shown } = createServer();
  const onClose = vi.fn();
  const { dialog, confirm } = await openDialog(shown, onClose);
  server.revision = 2;
  confirm();
  expect((await within(dialog).findByRole('alert')).textContent).toBe(
    'Something has changed since the preview, so nothing was saved. Check the new preview, then confirm again.',
  );
  expect(within(dialog).getByText('Ends 2 sessions')).toBeTruthy();
  const since = await within(dialog).findByRole('list', { name: 'Since you opened this:' });
  expect(
    within(since)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['Signed in', 'New: Ends 2 sessions', 'No longer: Ends 1 sessions']);
  expect([server.revision, onClose.mock.calls.length]).toEqual([2, 0]);
  confirm();
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(server.revision).toBe(3);
});

test('a preview says nothing about earlier changes before a write is rejected', async () => {
  const { server, ...shown } = createServer();
  const { dialog } = await openDialog(shown);
  server.revision = 2;
  expect(within(dialog).queryByText('Since you opened this:')).toBeNull();
});

test('a dialog that is closed no longer decides about the write', async () => {
  const { server, ...shown } = createServer();
  const { rerender } = renderPage(inProject(shown, <PreviewNote call={call} />));
  await screen.findByText('Ends 1 sessions');
  rerender(inProject(shown, null));
  server.revision = 2;
  await shown.admin.users.delete(annId);
  expect(server.written).toEqual([{ ...call, ifMatch: null }]);
});

test('of several writes of one form, the first one is made with an ETag, because it outdates the others', async () => {
  const { server, ...shown } = createServer();
  const other = { method: 'DELETE', path: '/teams/t1' } as const;
  renderPage(
    inProject(
      shown,
      [call, other].map((each) => <PreviewNote key={each.path} call={each} />),
    ),
  );
  await waitFor(() => expect(screen.getAllByText('Ends 1 sessions')).toHaveLength(2));
  await shown.admin.users.delete(annId);
  await shown.admin.teams.delete('t1');
  expect(server.written.map(({ ifMatch }) => ifMatch)).toEqual([`"DELETE ${call.path} 1"`, null]);
});

test('a preview decides only about writes of its project', async () => {
  const { server, ...shown } = createServer();
  renderPage(
    <ChangesContext value={shown.admin.changes}>
      <ShowPreviewContext value={(preview) => shown.previews.show('p2', preview)}>
        <PreviewNote call={call} />
      </ShowPreviewContext>
    </ChangesContext>,
  );
  await screen.findByText('Ends 1 sessions');
  await shown.admin.users.delete(annId);
  expect(server.written).toEqual([{ ...call, ifMatch: null }]);
});

test('an owner’s write as a client of internal sends the ETag of its preview', async () => {
  const { server, client, ...shown } = createServer();
  const show = (preview: ShownPreview) => shown.previews.show('internal', preview);
  const transfer = callOfProjectTransfer('p1', 'crew');
  renderPage(
    inProject(
      shown,
      <OwnerPreviews preview={client.changes.preview} show={show}>
        <PreviewNote call={transfer} />
      </OwnerPreviews>,
    ),
  );
  await screen.findByText('Ends 1 sessions');
  await client.projects.transfer('p1', 'crew');
  const { method, path } = transfer;
  expect(server.written).toEqual([{ method, path, ifMatch: `"POST ${path} 1"` }]);
});
