import { newEmail } from '@gatebook/api/testing/requests';
import { expect } from 'vitest';
import { idsOf } from './expectations.ts';
import type { Cases, Kind } from './kinds.ts';
import { customerCases } from './shared-user-payments.ts';
import { page, type World } from './world.ts';

type Team = Awaited<ReturnType<Awaited<ReturnType<World['signedUp']>>['user']['createTeam']>>;
type Owned = { team: Team; ownerId: string; find(): Promise<Team | null> };
type MakeTeam = (world: World) => Promise<Owned>;

const ofClient: MakeTeam = async (world) => {
  const { user } = await world.signedUp();
  const team = await user.createTeam({ displayName: 'Band' });
  return { team, ownerId: user.id, find: () => user.getTeam(team.id) };
};

async function ofServer(world: World) {
  const app = world.serverApp();
  const owner = await app.createUser({ displayName: 'Ann' });
  const team = await app.createTeam({ displayName: 'Band', creatorUserId: owner.id });
  return { app, team, ownerId: owner.id, find: () => app.getTeam(team.id) };
}

const callbackUrl = page('team-invitation');

const sharedCases = (make: MakeTeam): Cases => ({
  update: async (world) => {
    const { team, find } = await make(world);
    await team.update({ displayName: 'Choir', clientMetadata: { voices: 4 } });
    expect(await find()).toMatchObject({ displayName: 'Choir', clientMetadata: { voices: 4 } });
  },
  delete: async (world) => {
    const { team, find } = await make(world);
    await team.delete();
    expect(await find()).toBeNull();
  },
  inviteUser: async (world) => {
    const { team } = await make(world);
    const guest = await world.signedUp();
    await team.inviteUser({ email: guest.email, callbackUrl });
    expect(await guest.app.acceptTeamInvitation(await world.codeFor(guest.email))).toMatchObject({ status: 'ok' });
    const elsewhere = team.inviteUser({ email: newEmail(), callbackUrl: 'https://evil.example.org/x' });
    await expect(elsewhere).rejects.toMatchObject({ errorCode: 'REDIRECT_URL_NOT_WHITELISTED' });
  },
  listInvitations: async (world) => {
    const { team } = await make(world);
    const recipientEmail = newEmail();
    await team.inviteUser({ email: recipientEmail, callbackUrl });
    const invitations = await team.listInvitations();
    expect(invitations).toMatchObject([{ recipientEmail, expiresAt: expect.any(Date) }]);
    return invitations;
  },
  listUsers: async (world) => {
    const { team, ownerId } = await make(world);
    const members = await team.listUsers();
    expect(members).toMatchObject([{ id: ownerId, teamProfile: expect.anything() }]);
    return members;
  },
  createApiKey: async (world) => {
    const { team } = await make(world);
    const key = await team.createApiKey({ description: 'deployment', expiresAt: null });
    expect((await world.serverApp().getTeam({ apiKey: key.value }))?.id).toBe(team.id);
    expect(await world.serverApp().getUser({ apiKey: key.value })).toBeNull();
    return key;
  },
  listApiKeys: async (world) => {
    const { team } = await make(world);
    const { id } = await team.createApiKey({ description: 'deployment', expiresAt: new Date('2090-01-01') });
    const keys = await team.listApiKeys();
    expect(keys).toMatchObject([{ id, description: 'deployment', expiresAt: new Date('2090-01-01') }]);
    return keys;
  },
  ...customerCases(async (world) => (await make(world)).team),
});

const team: Kind = {
  name: 'Team',
  sample: async (world) => (await ofClient(world)).team,
  cases: sharedCases(ofClient),
};

const serverTeam: Kind = {
  name: 'ServerTeam',
  sample: async (world) => (await ofServer(world)).team,
  cases: {
    ...sharedCases(ofServer as unknown as MakeTeam),
    update: async (world) => {
      const { team, find } = await ofServer(world);
      await team.update({ serverMetadata: { plan: 'free' }, clientReadOnlyMetadata: { seats: 2 } });
      expect(await find()).toMatchObject({ serverMetadata: { plan: 'free' }, clientReadOnlyMetadata: { seats: 2 } });
    },
    addUser: async (world) => {
      const { app, team, ownerId } = await ofServer(world);
      const bob = await app.createUser({ displayName: 'Bob' });
      await team.addUser(bob.id);
      expect(idsOf(await team.listUsers())).toEqual([bob.id, ownerId].sort());
      await expect(team.addUser(bob.id)).rejects.toMatchObject({ errorCode: 'TEAM_MEMBERSHIP_ALREADY_EXISTS' });
    },
    removeUser: async (world) => {
      const { team, ownerId } = await ofServer(world);
      await team.removeUser(ownerId);
      expect(await team.listUsers()).toEqual([]);
    },
  },
};

const memberProfile: Kind = {
  name: 'TeamMemberProfile',
  sample: async (world) => {
    const { user } = await world.signedUp();
    return user.getTeamProfile(await user.createTeam({ displayName: 'Band' }));
  },
  cases: {
    update: async (world) => {
      const { user } = await world.signedUp();
      const band = await user.createTeam({ displayName: 'Band' });
      await (await user.getTeamProfile(band)).update({ displayName: 'Soprano' });
      expect(await band.listUsers()).toMatchObject([{ id: user.id, teamProfile: { displayName: 'Soprano' } }]);
    },
  },
};

const sentInvitation: Kind = {
  name: 'SentTeamInvitation',
  sample: async (world) => {
    const { team } = await ofClient(world);
    await team.inviteUser({ email: newEmail(), callbackUrl });
    return (await team.listInvitations())[0] ?? null;
  },
  cases: {
    revoke: async (world) => {
      for (const make of [ofClient, ofServer as unknown as MakeTeam]) {
        const { team } = await make(world);
        await team.inviteUser({ email: newEmail(), callbackUrl });
        await (await team.listInvitations())[0]?.revoke();
        expect(await world.invitationsOf(team.id)).toEqual([]);
      }
    },
  },
};

async function received(world: World) {
  const { team } = await ofClient(world);
  const { email, user, app } = await world.signedUp();
  await world.verify(email);
  await team.inviteUser({ email, callbackUrl });
  return { team, user, app };
}

const receivedInvitation: Kind = {
  name: 'ReceivedTeamInvitation',
  sample: async (world) => {
    const { user } = await received(world);
    if (!('listTeamInvitations' in user)) return null;
    return (await user.listTeamInvitations())[0] ?? null;
  },
  cases: {
    accept: async (world) => {
      const { team, user } = await received(world);
      await (await user.listTeamInvitations())[0]?.accept();
      expect(idsOf(await user.listTeams())).toEqual([team.id]);
      const guest = await received(world);
      const asServer = await world.serverApp().getUser(guest.user.id);
      await (await asServer?.listTeamInvitations())?.[0]?.accept();
      expect(idsOf(await guest.user.listTeams())).toEqual([guest.team.id]);
    },
  },
};

export const teamKinds = [team, serverTeam, memberProfile, sentInvitation, receivedInvitation];
