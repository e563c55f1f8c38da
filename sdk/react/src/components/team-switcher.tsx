'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { CurrentUser, Team } from '../app-types.ts';
import { Avatar } from '../handler/avatar.tsx';
import { ChevronIcon, PersonIcon, SettingsIcon } from '../handler/icons.tsx';
import { useGatebookApp, useUser } from '../provider.tsx';
import { type Texts, useTexts } from '../texts/use-texts.ts';
import { useAction } from '../use-action.ts';
import { Inline } from './inline.tsx';
import { Menu, type MenuItem } from './menu.tsx';
import type { MockProject } from './mock-app.ts';
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
  /** Without effect: only the other switcher leads to the account settings. */
  mockProject?: MockProject<'clientTeamCreationEnabled'>;
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

function AnyTeams({ mockTeams, mockUser, mockProject: _, ...props }: TeamSwitcherProps) {
  if (mockTeams) return <MockMenu {...labelsOf(props)} teams={mockTeams} team={mockUser?.team} />;
  return props.teams ? <TeamMenu {...props} teams={props.teams} /> : <OwnTeams {...props} />;
}

/** Without what is for previews. */
type Real<Props> = Omit<Props, 'mockTeams' | 'mockUser' | 'mockProject'>;

function OwnTeams(props: Real<TeamSwitcherProps>) {
  const user = useUser();
  return user && <TeamsOfUser {...props} user={user} />;
}

type OfUserProps = Real<TeamSwitcherProps> & { user: CurrentUser; settings?: Settings };

function TeamsOfUser({ user, ...props }: OfUserProps) {
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
  /** With `mockTeams`: says whether there is an entry for new ones. */
  mockProject?: MockProject<'clientTeamCreationEnabled'>;
};

/** Shows and changes the selected team of the user. */
export function SelectedTeamSwitcher(given: SelectedTeamSwitcherProps) {
  const { mockTeams, mockUser, mockProject, ...props } = given;
  return (
    <Inline skeleton={<ChevronIcon />}>
      {mockTeams ? (
        <MockMenu
          {...labelsOf(props)}
          teams={mockTeams}
          team={mockUser?.selectedTeam}
          settings={{ canCreate: mockProject?.config.clientTeamCreationEnabled ?? false, open: () => {} }}
        />
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
  const app = useGatebookApp();
  const { accountSettings } = app.urls;
  const navigate = app.useNavigate();
  const { clientTeamCreationEnabled } = app.useProject().config;
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
  const settings = {
    canCreate: clientTeamCreationEnabled,
    open: (tab: string) => navigate(`${accountSettings}#${tab}`),
  };
  return <TeamsOfUser {...rest} user={user} team={team} onChange={choose} settings={settings} />;
}

type Labels = Pick<SwitcherProps, 'allowNull' | 'nullLabel' | 'triggerClassName'>;

const labelsOf = ({ allowNull = false, nullLabel, triggerClassName }: Labels): Labels => ({
  allowNull,
  ...(nullLabel !== undefined && { nullLabel }),
  ...(triggerClassName !== undefined && { triggerClassName }),
});

type MockMenuProps = Labels & { teams: readonly MockTeam[]; team: MockTeam | undefined; settings?: Settings };

function MockMenu({ team, ...props }: MockMenuProps) {
  const [chosen, setChosen] = useState<MockTeam | null>(team ?? null);
  return <TeamMenu {...props} team={chosen} onChange={setChosen} />;
}

/** Entries that lead to the account settings. */
type Settings = { canCreate: boolean; open: (tab: string) => void };

type TeamMenuProps<Shown> = Labels & {
  settings?: Settings;
  team?: Shown | null;
  teamId?: string;
  teams: readonly Shown[];
  onChange?: ((team: Shown | null) => void | Promise<void>) | undefined;
};

function TeamMenu<Shown extends MockTeam>({ team, teamId, teams, allowNull = false, ...rest }: TeamMenuProps<Shown>) {
  const { t } = useTexts();
  const { onChange, triggerClassName, nullLabel = t('No team'), settings } = rest;
  const choose = useAction(async (chosen: Shown | null) => onChange?.(chosen));
  const chosenId = team?.id ?? teamId;
  const chosen = teams.find(({ id }) => id === chosenId) ?? team ?? null;
  const label = chosen ? chosen.displayName : allowNull ? nullLabel : t('Select team');
  const entries = [...(allowNull ? [null] : []), ...teams];
  const items = entries.map(
    (shown): MenuItem => ({
      id: shown?.id ?? 'none',
      label: shown?.displayName ?? nullLabel,
      icon: <TeamAvatar team={shown} />,
      isChecked: shown?.id === chosen?.id,
      onSelect: () => void choose.run(shown),
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
        items={settings ? [...items, ...settingsItems(settings, chosen, t)] : items}
      />
      {choose.error !== undefined && <ActionFault error={choose.error} />}
    </>
  );
}

function settingsItems({ canCreate, open }: Settings, team: MockTeam | null, t: Texts['t']): MenuItem[] {
  const item = (tab: string, label: string, icon: ReactNode) => ({ id: tab, label, icon, onSelect: () => open(tab) });
  return [
    ...(team ? [item(`team-${team.id}`, t('Team settings'), <SettingsIcon />)] : []),
    ...(canCreate ? [item('team-creation', t('Create a team'), <PersonIcon />)] : []),
  ];
}

const TeamAvatar = ({ team }: { team: MockTeam | null }) => <Avatar user={team} size={AVATAR_SIZE} />;
