// @vitest-environment happy-dom
import type { PermissionScope, ProjectChanges, ProjectClient } from '@gatebook/js/admin';
import { KnownError } from '@gatebook/js/errors';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { noAudit, noPermissions } from '../../testing/clients.ts';
import { never, renderPage } from '../../testing/render.tsx';
import { sampleProject } from '../../testing/samples.ts';
import { PermissionsPage } from './permissions-page.tsx';

const definitions = [
  { id: '$read_members', description: 'See the others', containedPermissionIds: [] },
  { id: 'owner', description: 'Everything', containedPermissionIds: ['team_member'] },
  { id: 'team_member', description: '', containedPermissionIds: ['$read_members'] },
];

function show(permissions: Partial<typeof noPermissions> = {}, update: ProjectClient['update'] = never) {
  const list = async (scope: PermissionScope) => (scope === 'team' ? definitions : []);
  const project = { value: sampleProject(), error: undefined, isFetching: false, refresh: async () => {} };
  return renderPage(
    <PermissionsPage
      permissions={{ ...noPermissions, list, ...permissions }}
      audit={noAudit}
      client={{ update }}
      projectId="p1"
      project={project}
    />,
  );
}
const teamCard = () => screen.findByRole('region', { name: 'Team permissions' });

test('a permission shows which others it contains, and system permissions cannot be edited', async () => {
  show();
  const card = await teamCard();
  const ofOwner = await within(card).findByRole('list', { name: 'Contained in owner' });
  expect(ofOwner.textContent).toBe('team_member$read_members');
  expect(within(ofOwner).getByRole('list', { name: 'Contained in team_member' }).textContent).toBe('$read_members');
  expect(within(card).queryByRole('button', { name: 'Edit $read_members' })).toBeNull();
  expect(within(card).getByRole('button', { name: 'Edit owner' })).toBeTruthy();
  const projectCard = screen.getByRole('region', { name: 'Project permissions' });
  expect(within(projectCard).getByText('No project permissions yet')).toBeTruthy();
});

test('the holders of each permission are counted with one request per scope', async () => {
  const countHolders = vi.fn(
    async (_: PermissionScope) =>
      new Map([
        ['owner', { count: 1, isComplete: true }],
        ['team_member', { count: 1_000, isComplete: false }],
      ]),
  );
  show({ countHolders });
  const card = within(await teamCard());
  expect(await card.findByText('1 membership')).toBeTruthy();
  expect(card.getByText('1,000+ memberships')).toBeTruthy();
  expect(countHolders.mock.calls).toEqual([['team'], ['project']]);
});

test('the holders of a permission are listed page by page, with the permission that contains it', async () => {
  const holder = { userId: 'u1', userName: 'Ann', teamId: 't1', teamName: 'Editors', grantedIds: ['owner'] };
  const listHolders = vi.fn(async (_: PermissionScope, __: string, { cursor }: { cursor?: string | null }) =>
    cursor
      ? { items: [{ ...holder, userName: null, grantedIds: ['team_member'] }], nextCursor: null, count: 26 }
      : { items: [holder], nextCursor: 'c2', count: 26 },
  );
  show({ listHolders });
  fireEvent.click(await screen.findByRole('button', { name: 'Show holders of team_member' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Holders of team_member' }));
  expect(await dialog.findByText('26 memberships')).toBeTruthy();
  expect(dialog.getByRole('listitem').textContent).toContain('in Editors · through owner');
  expect(dialog.getByRole('link', { name: 'Editors' }).getAttribute('href')).toBe('/projects/p1/teams/t1');
  fireEvent.click(dialog.getByRole('button', { name: 'Next' }));
  expect(await dialog.findByText(/granted/)).toBeTruthy();
  expect(listHolders).toHaveBeenLastCalledWith('team', 'team_member', { cursor: 'c2', limit: 25 });
});

test('a new permission needs a valid ID that is not taken', async () => {
  const create = vi
    .fn()
    .mockRejectedValueOnce(new KnownError('PERMISSION_ID_ALREADY_EXISTS', 400, 'taken'))
    .mockResolvedValue(definitions[0]);
  show({ create });
  fireEvent.click(within(await teamCard()).getByRole('button', { name: 'Create team permission' }));
  const dialog = await screen.findByRole('dialog', { name: 'Create permission' });
  const enter = (id: string): void => {
    fireEvent.change(within(dialog).getByLabelText('ID'), { target: { value: id } });
    fireEvent.click(within(dialog).getByRole('button', { name: 'Create permission' }));
  };
  enter('Not Good');
  expect(await within(dialog).findByText(/Use lowercase letters/)).toBeTruthy();
  enter('owner');
  expect(await within(dialog).findByText(/already exists/)).toBeTruthy();
  enter('edit_posts');
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(create).toHaveBeenLastCalledWith('team', { id: 'edit_posts', description: '', containedPermissionIds: [] });
});

test('a permission is renamed, and deleted once that is confirmed', async () => {
  const [update, remove] = [vi.fn(async () => definitions[0] as never), vi.fn(async () => {})];
  show({ update, delete: remove });
  fireEvent.click(await within(await teamCard()).findByRole('button', { name: 'Edit owner' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit permission' });
  fireEvent.change(within(dialog).getByLabelText('ID'), { target: { value: 'chief' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  const changes = { id: 'chief', description: 'Everything', containedPermissionIds: ['team_member'] };
  await vi.waitFor(() => expect(update).toHaveBeenCalledWith('team', 'owner', changes));
  fireEvent.click(within(await teamCard()).getByRole('button', { name: 'Delete team_member' }));
  const confirm = await screen.findByRole('dialog', { name: 'Delete this permission?' });
  fireEvent.click(within(confirm).getByRole('button', { name: 'Delete permission' }));
  await vi.waitFor(() => expect(remove).toHaveBeenCalledWith('team', 'team_member'));
});

test('shows the default permissions', async () => {
  show();
  const card = await screen.findByRole('region', { name: 'Default permissions' });
  expect(within(card).getAllByText('team_admin').length).toBeGreaterThan(0);
  expect(within(card).getAllByText('team_member').length).toBeGreaterThan(0);
  expect(within(card).queryByRole('button', { name: 'Save' })).toBeNull();
});

test('default permissions are saved as they were shown', async () => {
  const update = vi.fn(async (_: ProjectChanges) => sampleProject());
  show({}, update);
  const card = await screen.findByRole('region', { name: 'Default permissions' });
  fireEvent.keyDown(within(card).getByRole('combobox', { name: 'Team creators get' }), { key: 'Backspace' });
  const bar = await within(card).findByRole('region', { name: 'Unsaved changes' });
  expect(bar.textContent).toContain('Team creators get: team_admin → none');
  fireEvent.click(within(bar).getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledOnce());
  expect(update.mock.calls[0]?.[0].config?.teamCreatorDefaultPermissions).toEqual([]);
});
