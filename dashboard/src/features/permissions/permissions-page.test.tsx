// @vitest-environment happy-dom
import { KnownError } from '@gatebook/js/errors';
import type { PermissionScope } from '@gatebook/js/permissions';
import type { Project, ProjectChanges } from '@gatebook/js/projects';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { noPermissions } from '../../testing/clients.ts';
import { never, renderPage } from '../../testing/render.tsx';
import { sampleProject } from '../../testing/samples.ts';
import { PermissionsPage } from './permissions-page.tsx';

const definitions = [
  { id: '$read_members', description: 'See the others', containedPermissionIds: [] },
  { id: 'owner', description: 'Everything', containedPermissionIds: ['team_member'] },
  { id: 'team_member', description: '', containedPermissionIds: ['$read_members'] },
];

function show(permissions: Partial<typeof noPermissions> = {}, update: () => Promise<never> = never) {
  const list = async (scope: PermissionScope) => (scope === 'team' ? definitions : []);
  const project = { value: sampleProject(), error: undefined, isFetching: false, refresh: async () => {} };
  return renderPage(
    <PermissionsPage
      permissions={{ ...noPermissions, list, ...permissions }}
      client={{ update }}
      projectId="p1"
      project={project}
    />,
  );
}
const ofTeams = () => screen.findByRole('region', { name: 'In teams' });

test('what a permission contains is shown, directly and through others; those of the system stay as they are', async () => {
  show();
  const card = await ofTeams();
  expect((await within(card).findAllByTitle('Contained directly')).map(({ textContent }) => textContent)).toEqual([
    'team_member',
    '$read_members',
  ]);
  expect(await within(card).findByTitle('Contained through team_member')).toBeTruthy();
  expect(within(card).queryByRole('button', { name: 'Edit $read_members' })).toBeNull();
  expect(within(card).getByRole('button', { name: 'Edit owner' })).toBeTruthy();
  const ofProject = screen.getByRole('region', { name: 'In the project' });
  expect(within(ofProject).getByText('No permissions for the project are defined.')).toBeTruthy();
});

test('a new permission needs an id that is free and well formed', async () => {
  const create = vi
    .fn()
    .mockRejectedValueOnce(new KnownError('PERMISSION_ID_ALREADY_EXISTS', 400, 'taken'))
    .mockResolvedValue(definitions[0]);
  show({ create });
  fireEvent.click(within(await ofTeams()).getByRole('button', { name: 'New permission in teams' }));
  const dialog = await screen.findByRole('dialog', { name: 'New permission' });
  const enter = (id: string): void => {
    fireEvent.change(within(dialog).getByLabelText('Id'), { target: { value: id } });
    fireEvent.click(within(dialog).getByRole('button', { name: 'Create permission' }));
  };
  enter('Not Good');
  expect(await within(dialog).findByText(/Use lower-case letters/)).toBeTruthy();
  enter('owner');
  expect(await within(dialog).findByText(/This id is taken/)).toBeTruthy();
  enter('edit_posts');
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(create).toHaveBeenLastCalledWith('team', { id: 'edit_posts', description: '', containedPermissionIds: [] });
});

test('a permission is renamed, and deleted once that is confirmed', async () => {
  const [update, remove] = [vi.fn(async () => definitions[0] as never), vi.fn(async () => {})];
  show({ update, delete: remove });
  fireEvent.click(await within(await ofTeams()).findByRole('button', { name: 'Edit owner' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit permission' });
  fireEvent.change(within(dialog).getByLabelText('Id'), { target: { value: 'chief' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  const changes = { id: 'chief', description: 'Everything', containedPermissionIds: ['team_member'] };
  await vi.waitFor(() => expect(update).toHaveBeenCalledWith('team', 'owner', changes));
  fireEvent.click(within(await ofTeams()).getByRole('button', { name: 'Delete team_member' }));
  const confirm = await screen.findByRole('dialog', { name: 'Delete this permission?' });
  fireEvent.click(within(confirm).getByRole('button', { name: 'Delete permission' }));
  await vi.waitFor(() => expect(remove).toHaveBeenCalledWith('team', 'team_member'));
});

test('what is granted by default is shown', async () => {
  show();
  const card = await screen.findByRole('region', { name: 'By default' });
  expect(within(card).getAllByText('team_admin').length).toBeGreaterThan(0);
  expect(within(card).getAllByText('team_member').length).toBeGreaterThan(0);
  expect(within(card).getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true);
});

test('a default that is saved says so, also once the project was read again', async () => {
  let saved = sampleProject();
  const update = vi.fn(async ({ config }: ProjectChanges) => {
    saved = sampleProject({ config: { ...sampleProject().config, ...config } });
    return saved;
  });
  const list = async (scope: PermissionScope) => (scope === 'team' ? definitions : []);
  const page = (value: Project) => (
    <PermissionsPage
      permissions={{ ...noPermissions, list }}
      client={{ update }}
      projectId="p1"
      project={{ value, error: undefined, isFetching: false, refresh: async () => {} }}
    />
  );
  const { show: showAgain } = renderPage(page(saved));
  const card = await screen.findByRole('region', { name: 'By default' });
  fireEvent.keyDown(within(card).getByRole('combobox', { name: 'Who creates a team' }), { key: 'Backspace' });
  fireEvent.click(within(card).getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledOnce());
  expect(update.mock.calls[0]?.[0].config?.teamCreatorDefaultPermissions).toEqual([]);
  showAgain(page(saved));
  expect(await within(screen.getByRole('region', { name: 'By default' })).findByText('Saved')).toBeTruthy();
});
