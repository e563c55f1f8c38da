// @vitest-environment happy-dom
import type { ImportedRow, ImportOptions, ImportRow } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { createUnsavedChanges, UnsavedContext } from '../../lib/unsaved.ts';
import { renderPage } from '../../testing/render.tsx';
import { ImportPage } from './import-page.tsx';

type Import = (rows: readonly ImportRow[], options: ImportOptions) => Promise<readonly ImportedRow[]>;
const result = (rows: readonly ImportRow[]): ImportedRow[] =>
  rows.map(({ line }) =>
    line === 2
      ? { line, id: 'a', outcome: 'rejected', problems: [{ reason: 'email_in_use', detail: 'a@mail.example' }] }
      : { line, id: 'b', outcome: 'created', problems: [] },
  );

function show(importUsers: Import) {
  const changes = createUnsavedChanges();
  renderPage(
    <UnsavedContext value={changes}>
      <ImportPage imports={{ importUsers }} projectId="p1" projectName="Acme Shop" />
    </UnsavedContext>,
  );
  return changes;
}

function check(source = 'csv') {
  fireEvent.change(screen.getByLabelText('Where the users come from'), { target: { value: source } });
  const file = new File(['id,email\na,a@mail.example\nb,b@mail.example\nc,c@mail.example\n'], 'users.csv');
  fireEvent.change(screen.getByLabelText('File'), { target: { files: [file] } });
  fireEvent.click(screen.getByRole('button', { name: 'Check file' }));
}

test('checks a file in a dry run, then imports it', async () => {
  const importUsers = vi.fn<Import>(async (rows) => result(rows));
  show(importUsers);
  check();
  const dryRun = await screen.findByRole('region', { name: 'Dry run' });
  fireEvent.click(await within(dryRun).findByRole('button', { name: 'Import 2 users' }));
  expect(importUsers.mock.calls[0]?.[1]).toMatchObject({ source: 'csv', isDryRun: true, firebaseHash: null });
  const done = await screen.findByRole('region', { name: 'Import' });
  expect((await within(done).findByRole('link', { name: 'Show users' })).getAttribute('href')).toBe(
    '/projects/p1/users',
  );
  expect(importUsers.mock.calls[1]?.[1]).toMatchObject({ isDryRun: false });
  expect(done.textContent).toContain('Finished users.csv: 3 rows');
  expect(done.textContent).toContain('1 × Another user signs in with the email address');
  await within(done).findByRole('button', { name: 'Download report' });
});

test('asks before a running import is left', async () => {
  let finish = (): void => {};
  const importUsers = vi.fn<Import>(async (rows, { isDryRun }) => {
    if (!isDryRun) {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    }
    return result(rows);
  });
  const changes = show(importUsers);
  check();
  fireEvent.click(await screen.findByRole('button', { name: 'Import 2 users' }));
  await screen.findByRole('button', { name: 'Stop' });
  expect(changes.question()?.title).toBe('Stop the import?');
  await vi.waitFor(() => expect(importUsers).toHaveBeenCalledTimes(2));
  finish();
  await screen.findByRole('link', { name: 'Show users' });
  expect(changes.question()).toBeNull();
});

test('asks for a file first', async () => {
  show(vi.fn());
  fireEvent.click(screen.getByRole('button', { name: 'Check file' }));
  await screen.findByText('Choose a file');
});

test('takes the hash parameters of Firebase, both or neither', async () => {
  const importUsers = vi.fn<Import>(async (rows) => result(rows));
  show(importUsers);
  fireEvent.change(screen.getByLabelText('Where the users come from'), { target: { value: 'firebase' } });
  fireEvent.change(screen.getByLabelText('Base64 signer key'), { target: { value: 'a2V5' } });
  check('firebase');
  await screen.findByText('Enter both, or neither');
  fireEvent.change(screen.getByLabelText('Base64 salt separator'), { target: { value: 'Bw==' } });
  fireEvent.click(screen.getByRole('button', { name: 'Check file' }));
  await screen.findByRole('region', { name: 'Dry run' });
  await vi.waitFor(() =>
    expect(importUsers.mock.calls[0]?.[1].firebaseHash).toEqual({
      signerKey: 'a2V5',
      saltSeparator: 'Bw==',
      rounds: 8,
      memCost: 14,
    }),
  );
});

test('an interrupted import can be continued', async () => {
  const importUsers = vi
    .fn<Import>()
    .mockImplementationOnce(async (rows) => result(rows))
    .mockRejectedValueOnce(new Error('connection lost'))
    .mockImplementation(async (rows) => result(rows));
  show(importUsers);
  check();
  fireEvent.click(await screen.findByRole('button', { name: 'Import 2 users' }));
  await screen.findByText('The import was interrupted');
  fireEvent.click(screen.getByRole('button', { name: 'Continue' }));
  await screen.findByRole('link', { name: 'Show users' });
  expect(importUsers).toHaveBeenCalledTimes(3);
});

test('counts one row and one user', async () => {
  show(async (rows) => rows.map(({ line }) => ({ line, id: 'a', outcome: 'created', problems: [] })));
  fireEvent.change(screen.getByLabelText('Where the users come from'), { target: { value: 'csv' } });
  const file = new File(['id,email\na,a@mail.example\n'], 'users.csv');
  fireEvent.change(screen.getByLabelText('File'), { target: { files: [file] } });
  fireEvent.click(screen.getByRole('button', { name: 'Check file' }));
  await screen.findByRole('button', { name: 'Import 1 user' });
  await screen.findByText('Finished users.csv: 1 row');
});
