// @vitest-environment happy-dom
import type {
  OwnedProjectsClient,
  Preview,
  PreviewedCall,
  ProjectMember,
  ProjectMembersClient,
} from '@gatebook/js/admin';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { ChangesContext } from '../../lib/changes.ts';
import { RoleContext } from '../../lib/role.ts';
import { createShownPreviews } from '../../lib/shown-previews.ts';
import { noAudit, noChanges, noMembers } from '../../testing/clients.ts';
import { previewOf } from '../../testing/previews.tsx';
import { never, renderPage } from '../../testing/render.tsx';
import { MembersPage } from './members-page.tsx';
import { roleOptions } from './names.ts';

const member = (change: Partial<ProjectMember>): ProjectMember => ({
  userId: 'maya',
  displayName: 'Maya Lindqvist',
  primaryEmail: 'maya@example.com',
  profileImageUrl: null,
  role: 'owner',
  isThroughTeam: false,
  ...change,
});
const maya = member({});
const bo = member({ userId: 'bo', displayName: 'Bo', primaryEmail: 'bo@example.com', role: 'support' });
const tea = member({ userId: 'tea', displayName: 'Tea', isThroughTeam: true });

function show(
  members: Partial<ProjectMembersClient>,
  role: ProjectMember['role'] = 'owner',
  ownId = 'maya',
  projectId = 'p1',
) {
  return renderPage(
    <RoleContext value={role}>
      <ChangesContext value={null}>
        <MembersPage
          projects={{ transfer: never, listOwnerTeams: async () => [] }}
          previews={{ preview: never, show: () => () => {} }}
          members={{ ...noMembers, list: async () => [maya, tea, bo], listInvitations: async () => [], ...members }}
          audit={noAudit}
          projectId={projectId}
          ownId={ownId}
        />
      </ChangesContext>
    </RoleContext>,
  );
}

const rowOf = async (name: string) => {
  const list = await screen.findByRole('region', { name: 'Members' });
  const rows = await within(list).findAllByRole('listitem');
  const row = rows.find(({ textContent }) => textContent?.includes(name));
  if (!row) throw new Error(`no row of ${name}`);
  return row;
};
const confirm = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

test('shows members with their roles, and who owns the project through a team', async () => {
  show({});
  expect(within(await rowOf('Bo')).getByRole('combobox', { name: 'Role of Bo' })).toHaveProperty('value', 'support');
  expect((await rowOf('Maya')).textContent).toContain('You');
  expect((await rowOf('Tea')).textContent).toContain('Owner through the team');
  expect(within(await rowOf('Tea')).queryByRole('combobox')).toBeNull();
});

test('changes a role after a confirmation', async () => {
  const setRole = vi.fn(async () => {});
  show({ setRole });
  const select = within(await rowOf('Bo')).getByRole('combobox', { name: 'Role of Bo' });
  fireEvent.change(select, { target: { value: 'developer' } });
  await screen.findByText(/The new role applies immediately/);
  confirm('Change role');
  await waitFor(() => expect(setRole).toHaveBeenCalledWith('bo', 'developer'));
});

test('removes a member, and lets a person leave', async () => {
  const remove = vi.fn(async () => {});
  const leave = vi.fn(async () => {});
  const { visited } = show({ remove, leave });
  fireEvent.click(within(await rowOf('Bo')).getByRole('button', { name: 'Remove Bo' }));
  confirm('Remove member');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(remove).toHaveBeenCalledWith('bo');
  fireEvent.click(within(await rowOf('Maya')).getByRole('button', { name: 'Leave project' }));
  await screen.findByText(/You lose access/);
  fireEvent.click(screen.getAllByRole('button', { name: 'Leave project' }).at(-1) as HTMLElement);
  await waitFor(() => expect(visited).toEqual(['/projects']));
  expect(leave).toHaveBeenCalledOnce();
});

test('disables what the role does not allow, and says why', async () => {
  show({}, 'support', 'bo');
  const select = within(await rowOf('Maya')).getByRole('combobox', { name: 'Role of Maya Lindqvist' });
  expect(select.closest('fieldset')).toHaveProperty('disabled', true);
  expect(select.closest('fieldset')?.title).toBe('Your role is Support. This requires the role Owner.');
  expect(
    within(await rowOf('Bo'))
      .getByRole('button', { name: 'Leave project' })
      .closest('fieldset'),
  ).toBeNull();
});

test('hands the project over, and says before what will happen', async () => {
  const transfer = vi.fn(async () => 'i3');
  show({ list: async () => [maya, bo], transfer });
  fireEvent.click(await screen.findByRole('button', { name: 'Transfer project' }));
  const dialog = await screen.findByRole('dialog', { name: 'Transfer project' });
  const preview = () => within(dialog).getByRole('list', { name: 'What will happen' }).textContent;
  expect(preview()).toContain('you leave the project');
  expect(preview()).toContain('1 other member keeps their role.');
  expect(preview()).toContain('Project keys stay valid');
  expect(
    within(dialog)
      .getByRole('link', { name: /revoke the old ones/ })
      .getAttribute('href'),
  ).toContain('/settings/keys');
  fireEvent.change(within(dialog).getByRole('textbox', { name: 'Email of the new owner' }), {
    target: { value: ' di@example.com ' },
  });
  fireEvent.click(within(dialog).getByRole('combobox', { name: 'You afterwards' }));
  fireEvent.click(within(await screen.findByRole('listbox')).getByRole('option', { name: 'Support' }));
  expect(preview()).toContain('di@example.com gets an email');
  expect(preview()).toContain('you get the role Support');
  confirm('Send transfer');
  await waitFor(() => expect(transfer).toHaveBeenCalledWith('di@example.com', 'support'));
});

describe('a transfer to a team of the owner', () => {
  const crew = { id: 'crew', displayName: 'Crew', profileImageUrl: null };
  const lost = { kind: 'access_lost', count: 1, text: '1 person loses access' };
  const people = [{ userId: 'bo', teamId: null, displayName: 'Bo' }];

  async function open(projects: Partial<OwnedProjectsClient>, preview: Partial<Preview> = {}) {
    const calls: PreviewedCall[] = [];
    const previews = createShownPreviews();
    renderPage(
      <RoleContext value="owner">
        <ChangesContext value={noChanges}>
          <MembersPage
            members={{ ...noMembers, list: async () => [maya, bo], listInvitations: async () => [] }}
            projects={{ transfer: never, listOwnerTeams: async () => [crew], ...projects }}
            previews={{
              preview: async (call) => {
                calls.push(call);
                return previewOf(preview);
              },
              show: (shown) => previews.show('internal', shown),
            }}
            audit={noAudit}
            projectId="p1"
            ownId="maya"
          />
        </ChangesContext>
      </RoleContext>,
    );
    fireEvent.click(await screen.findByRole('button', { name: 'Transfer project' }));
    return { dialog: await screen.findByRole('dialog', { name: 'Transfer project' }), calls };
  }

  async function chooseTeam(dialog: HTMLElement): Promise<void> {
    fireEvent.click(await within(dialog).findByRole('combobox', { name: 'New owner' }));
    fireEvent.click(within(await screen.findByRole('listbox')).getByRole('option', { name: 'Team Crew' }));
  }

  test('says who loses access, as the server previews it, and what stays', async () => {
    const transfer = vi.fn(async () => {});
    const effects = [{ ...lost, permissionId: null, people, hasMorePeople: false }];
    const { dialog, calls } = await open({ transfer }, { effects });
    await chooseTeam(dialog);
    expect(await within(dialog).findByText('1 person loses access')).toBeTruthy();
    expect(within(dialog).getByText('Bo')).toBeTruthy();
    expect(calls).toEqual([
      { method: 'POST', path: '/internal/projects/transfer', body: { project_id: 'p1', new_team_id: 'crew' } },
    ]);
    expect(within(dialog).getByRole('list', { name: 'What will happen' }).textContent).toContain('No emails are sent.');
    expect(within(dialog).queryByRole('textbox', { name: 'Email of the new owner' })).toBeNull();
    fireEvent.click(within(dialog).getByRole('button', { name: 'Transfer project' }));
    await waitFor(() => expect(transfer).toHaveBeenCalledWith('p1', 'crew'));
  });

  test('that would be rejected says why', async () => {
    const error = { code: 'TEAM_MEMBERSHIP_NOT_FOUND', error: 'You are not a member of this team.' };
    const { dialog } = await open({}, { error, etag: null, status: 404 });
    await chooseTeam(dialog);
    expect((await within(dialog).findByRole('alert')).textContent).toBe('You are not a member of this team.');
  });

  test('is offered for teams without a name', async () => {
    const { dialog } = await open({ listOwnerTeams: async () => [{ ...crew, displayName: ' ' }] });
    fireEvent.click(await within(dialog).findByRole('combobox', { name: 'New owner' }));
    const options = within(await screen.findByRole('listbox')).getAllByRole('option');
    expect(options.map(({ textContent }) => textContent)).toEqual(['A person, by email', 'Unnamed team']);
  });

  test('cannot be chosen if the teams cannot be loaded, which the dialog says', async () => {
    const listOwnerTeams = () => Promise.reject(new Error('down'));
    const { dialog } = await open({ listOwnerTeams });
    expect(await within(dialog).findByText('The teams could not be loaded')).toBeTruthy();
    expect(within(dialog).getByRole('textbox', { name: 'Email of the new owner' })).toBeTruthy();
  });
});

test('a member of the team that owns the project cannot hand it over', async () => {
  show({}, 'owner', 'tea');
  expect(await screen.findByText(/A team owns this project/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Transfer project' })).toBeNull();
});

test('invites, resends and revokes', async () => {
  const invitation = {
    id: 'i1',
    recipientEmail: 'cy@example.com',
    role: 'support',
    senderRole: null,
    sentAt: new Date(),
    expiresAt: new Date(),
  } as const;
  const invite = vi.fn(async () => 'i1');
  const resendInvitation = vi.fn(async () => 'i2');
  const revokeInvitation = vi.fn(async () => {});
  show({ listInvitations: async () => [invitation], invite, resendInvitation, revokeInvitation });
  fireEvent.click(await screen.findByRole('button', { name: 'Resend invitation for cy@example.com' }));
  await waitFor(() => expect(resendInvitation).toHaveBeenCalledWith('i1'));
  fireEvent.click(screen.getByRole('button', { name: 'Invite member' }));
  fireEvent.change(await screen.findByRole('textbox', { name: 'Email' }), { target: { value: ' di@example.com ' } });
  confirm('Send invitation');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(invite).toHaveBeenCalledWith('di@example.com', 'developer');
  fireEvent.click(screen.getByRole('button', { name: 'Revoke invitation for cy@example.com' }));
  confirm('Revoke invitation');
  await waitFor(() => expect(revokeInvitation).toHaveBeenCalledWith('i1'));
});

test('does not offer support in internal, where it may only read, but shows who has it', async () => {
  show({}, 'owner', 'maya', 'internal');
  const roles = await screen.findByRole('region', { name: 'Roles' });
  expect(within(roles).queryByText('Support')).toBeNull();
  expect(within(await rowOf('Bo')).getByRole('combobox', { name: 'Role of Bo' })).toHaveProperty('value', 'support');
  expect(roleOptions('internal').map(({ label }) => label)).toEqual(['Owner', 'Developer', 'Read-only']);
});
