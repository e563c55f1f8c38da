import type { OwnTeam } from '@gatebook/js/core';
import { useRef } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useResourceCache } from '../../use-resource.ts';
import { Bones } from '../card.tsx';
import { useHandler } from '../context.ts';
import { useAccount, useOwnResource } from './account.ts';
import { ActionError } from './action-error.tsx';
import { ApiKeys } from './api-keys-tab.tsx';
import { ConfirmButton } from './confirm-button.tsx';
import { NameForm } from './name-form.tsx';
import { ProfileImage } from './profile-image.tsx';
import { Section } from './section.tsx';
import { Invitations, Members } from './team-members.tsx';

/** Fetches the teams and the user again, whose selected team may have changed. */
function useRefreshTeams(): () => Promise<void> {
  const cache = useResourceCache();
  return async () => {
    await Promise.all([cache.invalidate(['teams']), cache.invalidate(['user'])]);
  };
}

/** One of the user's teams: what the user's permissions allow (protocol, client §14.4). */
export function TeamTab({ team }: { team: OwnTeam }) {
  const { t } = useTexts();
  const { app } = useHandler();
  const { project } = useAccount();
  const refresh = useRefreshTeams();
  const { value: permissions, error } = useOwnResource(['team-permissions', team.id], () =>
    app.teams.listPermissions(team.id),
  );
  if (!permissions) return error === undefined ? <Bones /> : <ActionError error={error} />;
  const can = (permission: string) => permissions.includes(permission);
  const update = async (changes: { displayName?: string; profileImageUrl?: string | null }) => {
    await app.teams.update(team.id, changes);
    await refresh();
  };
  return (
    <>
      <OwnName team={team} />
      {can('$update_team') && (
        <>
          <NameForm
            title={t('Team name')}
            label={t('Name')}
            value={team.displayName}
            isRequired
            save={(displayName) => update({ displayName })}
          />
          <ProfileImage
            title={t('Team picture')}
            shown={team}
            save={(profileImageUrl) => update({ profileImageUrl })}
          />
        </>
      )}
      {can('$read_members') && <Members team={team} />}
      {can('$invite_members') && <Invitations team={team} can={can} />}
      {project.config.allowTeamApiKeys && can('$manage_api_keys') && (
        <ApiKeys
          owner={{ type: 'team', id: team.id }}
          title={t('Team API keys')}
          lead={t('Scripts use a team API key to act for the team.')}
        />
      )}
      <Section title={t('Leave team')}>
        <ConfirmButton
          label={t('Leave team')}
          tone="plain"
          question={t('Leave {team}? To come back, you need a new invitation.', { team: team.displayName })}
          confirmLabel={t('Leave team')}
          call={async () => {
            await app.teams.leave(team.id);
            location.hash = 'profile';
            await refresh();
          }}
        />
      </Section>
    </>
  );
}

function OwnName({ team }: { team: OwnTeam }) {
  const { t } = useTexts();
  const { app } = useHandler();
  const profile = useOwnResource(['team-profile', team.id], () => app.teams.findProfile(team.id));
  const cache = useResourceCache();
  if (!profile.value) return <ActionError error={profile.error} />;
  return (
    <NameForm
      title={t('Your name in this team')}
      lead={t('Members see this name instead of the one in your profile.')}
      label={t('Your name')}
      autoComplete="name"
      value={profile.value.displayName ?? ''}
      isRequired
      save={async (displayName) => {
        await app.teams.updateProfile(team.id, { displayName });
        await Promise.all([profile.refresh(), cache.invalidate(['team-members', team.id])]);
      }}
    />
  );
}

/** Creates a team, selects it and opens its tab. */
export function CreateTeamTab() {
  const { t } = useTexts();
  const { app } = useHandler();
  const refresh = useRefreshTeams();
  /** A retry for the same name does not create another one. */
  const created = useRef<OwnTeam | null>(null);
  return (
    <NameForm
      title={t('Create a team')}
      label={t('Team name')}
      value=""
      isRequired
      submitLabel={t('Create team')}
      save={async (displayName) => {
        if (created.current?.displayName !== displayName) created.current = await app.teams.create(displayName);
        const { id } = created.current;
        await app.teams.select(id).finally(refresh);
        location.hash = `team-${id}`;
      }}
    />
  );
}
