// @vitest-environment happy-dom

import type { OwnTeam, OwnTeamsClient } from '@gatebook/js/core';
import { act, fireEvent, screen, within } from '@testing-library/react';
import axe from 'axe-core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { section, show } from '../testing/show-account.tsx';
import { answers, fill, press } from '../testing/show-page.tsx';

afterEach(() => history.replaceState(null, '', '/'));

const red: OwnTeam = { id: 't1', displayName: 'Red', profileImageUrl: null };
const ann = { userId: 'u1', displayName: 'Ann', profileImageUrl: null };
const bob = { userId: 'u2', displayName: null, profileImageUrl: null };
const invitation = { id: 'i1', recipientEmail: 'cy@example.com', expiresAt: new Date(0) };

const all = ['$update_team', '$read_members', '$invite_members', '$remove_members', '$manage_api_keys'];

async function showTeam(permissions: readonly string[], teams: Partial<OwnTeamsClient> = {}, config = {}) {
  const shown = await show('#team-t1', {
    config,
    apiKeys: { list: async () => [] },
    teams: {
      list: async () => [red],
      listPermissions: async () => permissions,
      findProfile: async () => ann,
      listMembers: async () => [ann, bob],
      listInvitations: async () => [invitation],
      ...teams,
    },
  });
  await screen.findByRole('heading', { name: 'Red' });
  return shown;
}
const sections = () => screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);

describe('the tab of a team', () => {
  test('shows what the permissions of the user allow', async () => {
    await showTeam([]);
    await section('Leave team');
    await vi.waitFor(() => expect(sections()).toEqual(['Your name in this team', 'Leave team']));
  });

  test.each([
    ['$read_members', 'Members'],
    ['$invite_members', 'Invite a member'],
  ])('asks for nothing that needs more than %s', async (permission, shown) => {
    const rejected = async () => Promise.reject(new Error('needs a permission'));
    const needsMore = permission === '$invite_members' ? { listMembers: rejected } : {};
    await showTeam([permission], { listInvitations: rejected, ...needsMore });
    await vi.waitFor(() => expect(sections()).toEqual(['Your name in this team', shown, 'Leave team']));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('shows all parts to members with all permissions', async () => {
    await showTeam(all, {}, { allowTeamApiKeys: true });
    const { getByText } = await section('Members');
    await vi.waitFor(() => getByText('You'));
    getByText('No name');
    await vi.waitFor(() =>
      expect(sections()).toEqual([
        ...['Your name in this team', 'Team name', 'Team picture', 'Members', 'Invite a member', 'Open invitations'],
        ...['Team API keys', 'Leave team'],
      ]),
    );
    const { violations } = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map(({ id }) => id)).toEqual([]);
  });

  test('changes the name of the team and the own name in it', async () => {
    const update = answers(undefined);
    const updateProfile = answers(undefined);
    await showTeam(all, { update, updateProfile });
    const team = await section('Team name');
    fireEvent.change(team.getByLabelText('Name'), { target: { value: ' ' } });
    fireEvent.click(team.getByRole('button', { name: 'Save' }));
    await team.findByText('Enter a name');
    fireEvent.change(team.getByLabelText('Name'), { target: { value: 'Crew ' } });
    fireEvent.click(team.getByRole('button', { name: 'Save' }));
    await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith('t1', { displayName: 'Crew' }));
    const own = await section('Your name in this team');
    fireEvent.change(own.getByLabelText('Your name'), { target: { value: 'Annie' } });
    fireEvent.click(own.getByRole('button', { name: 'Save' }));
    await vi.waitFor(() => expect(updateProfile).toHaveBeenCalledExactlyOnceWith('t1', { displayName: 'Annie' }));
  });

  test('invites members and revokes invitations', async () => {
    const invite = answers(undefined);
    const revokeInvitation = answers(undefined);
    await showTeam(all, { invite, revokeInvitation });
    const { getByLabelText, getByRole, findByText } = await section('Invite a member');
    fireEvent.click(getByRole('button', { name: 'Send invitation' }));
    await findByText(/complete email address/);
    expect(invite).not.toHaveBeenCalled();
    fireEvent.change(getByLabelText('Email'), { target: { value: 'dee@example.com' } });
    fireEvent.click(getByRole('button', { name: 'Send invitation' }));
    await findByText('Invitation sent to dee@example.com.');
    const callbackUrl = `${location.origin}/handler/team-invitation`;
    expect(invite).toHaveBeenCalledExactlyOnceWith('t1', { email: 'dee@example.com', callbackUrl });
    await press('Revoke cy@example.com');
    await press('Revoke invitation');
    await vi.waitFor(() => expect(revokeInvitation).toHaveBeenCalledExactlyOnceWith('t1', 'i1'));
  });

  test('is left after a confirmation', async () => {
    let teams = [red];
    const leave = vi.fn(async () => {
      teams = [];
    });
    await showTeam([], { list: async () => teams, leave });
    await press('Leave team');
    const question = await screen.findByRole('group', { name: 'Leave team' });
    await act(async () => fireEvent.click(within(question).getByRole('button', { name: 'Leave team' })));
    await screen.findByRole('heading', { name: 'Profile' });
    await vi.waitFor(() => expect(screen.queryByRole('link', { name: 'Red' })).toBeNull());
    expect(leave).toHaveBeenCalledExactlyOnceWith('t1');
  });
});

test('a new team is created in a tab, if the project allows it, selected by retry, and opened', async () => {
  const teams: OwnTeam[] = [];
  const create = vi.fn(async (displayName: string) => {
    const team = { ...red, displayName };
    teams.push(team);
    return team;
  });
  const select = answers(undefined).mockRejectedValueOnce(new Error('offline'));
  const own = { list: async () => [...teams], listPermissions: async () => [], findProfile: async () => ann };
  const client = { ...own, create, select };
  await show('#team-creation', { config: { clientTeamCreationEnabled: true }, teams: client });
  await screen.findByRole('button', { name: 'Create team' });
  fill('Team name', 'Blue');
  await press('Create team');
  await screen.findByRole('alert');
  await screen.findByRole('link', { name: 'Blue' });
  await press('Create team');
  await screen.findByRole('heading', { name: 'Blue' });
  expect(select).toHaveBeenLastCalledWith('t1');
  expect(location.hash).toBe('#team-t1');
  expect(create).toHaveBeenCalledExactlyOnceWith('Blue');
});
