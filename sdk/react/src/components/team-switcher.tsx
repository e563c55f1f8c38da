'use client';

import { useEffect, useRef } from 'react';
import type { CurrentUser, Team } from '../app-types.ts';
import { Avatar } from '../handler/avatar.tsx';
import { ChevronIcon } from '../handler/icons.tsx';
import { useGatebookApp, useUser } from '../provider.tsx';
import { useTexts } from '../texts/use-texts.ts';
import { useAction } from '../use-action.ts';
import { Inline } from './inline.tsx';
import { Menu, type MenuItem } from './menu.tsx';
import { ActionFault } from './user-button.tsx';

/** In pixels. */
const AVATAR_SIZE = 24;

type SwitcherProps = {
  /** Adds an entry for no team, which is passed as null. */
  allowNull?: boolean;
  nullLabel?: string;
  onChange?: (team: Team | null) => void | Promise<void>;
  triggerClassName?: string;
};
export type TeamSwitcherProps = SwitcherProps & {
  /** The team that is shown as chosen, or its ID. */
  team?: Team | null;
  teamId?: string;
  /** By default those of the user. */
  teams?: readonly Team[];
};

/** Chooses a team, without storing the choice. */
export function TeamSwitcher(props: TeamSwitcherProps) {
  return (
    <Inline skeleton={<ChevronIcon />}>
      {props.teams ? <TeamMenu {...props} teams={props.teams} /> : <OwnTeams {...props} />}
    </Inline>
  );
}

function OwnTeams(props: TeamSwitcherProps) {
  const user = useUser();
  return user && <TeamsOfUser {...props} user={user} />;
}

function TeamsOfUser({ user, ...props }: TeamSwitcherProps & { user: CurrentUser }) {
  return <TeamMenu {...props} teams={user.useTeams()} />;
}

export type SelectedTeamSwitcherProps = SwitcherProps & {
  /** The page of a team, which opens after the choice. */
  urlMap?: (team: Team | null) => string;
  /** Selected instead of the stored team. */
  selectedTeam?: Team | null;
  /** Leaves the selected team of the user as it is. */
  noUpdateSelectedTeam?: boolean;
};

/** Shows and changes the selected team of the user. */
export function SelectedTeamSwitcher(props: SelectedTeamSwitcherProps) {
  return (
    <Inline skeleton={<ChevronIcon />}>
      <SelectedTeam {...props} />
    </Inline>
  );
}

function SelectedTeam(props: SelectedTeamSwitcherProps) {
  const user = useUser();
  return user && <SelectedTeamOf {...props} user={user} />;
}

type SelectedTeamProps = SelectedTeamSwitcherProps & { user: CurrentUser };

function SelectedTeamOf({ user, urlMap, selectedTeam, noUpdateSelectedTeam = false, ...rest }: SelectedTeamProps) {
  const navigate = useGatebookApp().useNavigate();
  const given = selectedTeam?.id;
  const stored = user.selectedTeam?.id;
  const hasStored = useRef(false);
  useEffect(() => {
    if (hasStored.current || noUpdateSelectedTeam || given === undefined || given === stored) return;
    hasStored.current = true;
    // If this fails, the team is chosen on this page only.
    user.setSelectedTeam(given).catch(() => undefined);
  }, [user, noUpdateSelectedTeam, given, stored]);
  const choose = async (team: Team | null): Promise<void> => {
    if (!noUpdateSelectedTeam) await user.setSelectedTeam(team);
    await rest.onChange?.(team);
    if (urlMap) navigate(urlMap(team));
  };
  const team = selectedTeam === undefined ? user.selectedTeam : selectedTeam;
  return <TeamsOfUser {...rest} user={user} team={team} onChange={choose} />;
}

type TeamMenuProps = TeamSwitcherProps & { teams: readonly Team[] };

function TeamMenu({ team, teamId, teams, allowNull = false, ...rest }: TeamMenuProps) {
  const { t } = useTexts();
  const { onChange, triggerClassName, nullLabel = t('No team') } = rest;
  const choose = useAction(async (chosen: Team | null) => onChange?.(chosen));
  const chosenId = team?.id ?? teamId;
  const chosen = teams.find(({ id }) => id === chosenId) ?? team ?? null;
  const label = chosen ? chosen.displayName : allowNull ? nullLabel : t('Select team');
  const entries = [...(allowNull ? [null] : []), ...teams];
  const items = entries.map(
    (entry): MenuItem => ({
      id: entry?.id ?? 'none',
      label: entry?.displayName ?? nullLabel,
      icon: <TeamAvatar team={entry} />,
      isChecked: entry?.id === chosen?.id,
      onSelect: () => void choose.run(entry),
    }),
  );
  return (
    <>
      <Menu
        label={t('Team: {name}', { name: label })}
        trigger={
          <>
            <TeamAvatar team={chosen} />
            <span>{label}</span>
            <ChevronIcon size={16} />
          </>
        }
        triggerClassName={`gbh-switcher ${triggerClassName ?? ''}`}
        isBusy={choose.isRunning}
        header={teams.length === 0 && t('You are not in a team yet.')}
        items={items}
      />
      {choose.error !== undefined && <ActionFault error={choose.error} />}
    </>
  );
}

const TeamAvatar = ({ team }: { team: Team | null }) => <Avatar user={team} size={AVATAR_SIZE} />;
