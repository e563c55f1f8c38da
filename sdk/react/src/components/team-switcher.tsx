'use client';

import { useEffect, useRef, useState } from 'react';
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
  /** For previews: shown in place of the user's teams, and choices are not passed on. */
  mockTeams?: readonly MockTeam[];
};
type MockTeam = { id: string; displayName: string; profileImageUrl?: string | null };
export type TeamSwitcherProps = SwitcherProps & {
  /** With `mockTeams`: has the team that is shown as chosen. */
  mockUser?: { team?: MockTeam };
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
      <AnyTeams {...props} />
    </Inline>
  );
}

function AnyTeams({ mockTeams, mockUser, ...props }: TeamSwitcherProps) {
  if (mockTeams) return <MockMenu {...labelsOf(props)} teams={mockTeams} team={mockUser?.team} />;
  return props.teams ? <TeamMenu {...props} teams={props.teams} /> : <OwnTeams {...props} />;
}

/** Without what is for previews. */
type Real<Props> = Omit<Props, 'mockTeams' | 'mockUser'>;

function OwnTeams(props: Real<TeamSwitcherProps>) {
  const user = useUser();
  return user && <TeamsOfUser {...props} user={user} />;
}

function TeamsOfUser({ user, ...props }: Real<TeamSwitcherProps> & { user: CurrentUser }) {
  return <TeamMenu {...props} teams={user.useTeams()} />;
}

export type SelectedTeamSwitcherProps = SwitcherProps & {
  /** The page of a team, which opens after the choice. */
  urlMap?: (team: Team | null) => string;
  /** Selected instead of the stored team. */
  selectedTeam?: Team | null;
  /** Leaves the selected team of the user as it is. */
  noUpdateSelectedTeam?: boolean;
  /** With `mockTeams`: has the team that is shown as chosen. */
  mockUser?: { selectedTeam?: MockTeam };
};

/** Shows and changes the selected team of the user. */
export function SelectedTeamSwitcher({ mockTeams, mockUser, ...props }: SelectedTeamSwitcherProps) {
  return (
    <Inline skeleton={<ChevronIcon />}>
      {mockTeams ? (
        <MockMenu {...labelsOf(props)} teams={mockTeams} team={mockUser?.selectedTeam} />
      ) : (
        <SelectedTeam {...props} />
      )}
    </Inline>
  );
}

function SelectedTeam(props: Real<SelectedTeamSwitcherProps>) {
  const user = useUser();
  return user && <SelectedTeamOf {...props} user={user} />;
}

type SelectedTeamProps = Real<SelectedTeamSwitcherProps> & { user: CurrentUser };

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

type Labels = Pick<SwitcherProps, 'allowNull' | 'nullLabel' | 'triggerClassName'>;

const labelsOf = ({ allowNull = false, nullLabel, triggerClassName }: Labels): Labels => ({
  allowNull,
  ...(nullLabel !== undefined && { nullLabel }),
  ...(triggerClassName !== undefined && { triggerClassName }),
});

function MockMenu({ team, ...props }: Labels & { teams: readonly MockTeam[]; team: MockTeam | undefined }) {
  const [chosen, setChosen] = useState<MockTeam | null>(team ?? null);
  return <TeamMenu {...props} team={chosen} onChange={setChosen} />;
}

type TeamMenuProps<Shown> = Labels & {
  team?: Shown | null;
  teamId?: string;
  teams: readonly Shown[];
  onChange?: ((team: Shown | null) => void | Promise<void>) | undefined;
};

function TeamMenu<Shown extends MockTeam>({ team, teamId, teams, allowNull = false, ...rest }: TeamMenuProps<Shown>) {
  const { t } = useTexts();
  const { onChange, triggerClassName, nullLabel = t('No team') } = rest;
  const choose = useAction(async (chosen: Shown | null) => onChange?.(chosen));
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

const TeamAvatar = ({ team }: { team: MockTeam | null }) => <Avatar user={team} size={AVATAR_SIZE} />;
