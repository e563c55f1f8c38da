import type { OwnTeam } from '@gatebook/js/core';
import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { type Texts, useTexts } from '../../texts/use-texts.ts';
import { useResource } from '../../use-resource.ts';
import { type AccountItem, useHandler, useTitle } from '../context.ts';
import { PageLink } from '../controls.tsx';
import { type Account, AccountContext } from './account.ts';
import { ActionError } from './action-error.tsx';
import { ApiKeysTab } from './api-keys-tab.tsx';
import { ConnectedAccounts } from './connected-accounts.tsx';
import { EmailCodes } from './email-codes.tsx';
import { Emails } from './emails.tsx';
import { namedIcon } from './named-icons.tsx';
import { Passkey } from './passkey.tsx';
import { Password } from './password.tsx';
import { Profile } from './profile.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { CreateTeamTab, TeamTab } from './team-tab.tsx';

type Tab = {
  id: string;
  label: string;
  panel: ReactNode;
  icon?: ReactNode;
  /** Whether a line separates it from the tab before. */
  startsGroup?: boolean;
};

/** In the order of (protocol, client §14.4). The URL's hash selects the tab. */
function tabsOf(
  { project: { config } }: Account,
  teams: readonly OwnTeam[],
  extraItems: readonly AccountItem[],
  { t }: Texts,
): Tab[] {
  return [
    { id: 'profile', label: t('Profile'), panel: <Profile /> },
    {
      id: 'auth',
      label: t('Sign-in and security'),
      panel: (
        <>
          <Emails />
          <ConnectedAccounts />
          {config.credentialEnabled && <Password />}
          {config.passkeyEnabled && <Passkey />}
          {config.magicLinkEnabled && <EmailCodes />}
          <SecondFactor />
        </>
      ),
    },
    { id: 'sessions', label: t('Active sessions'), panel: <Sessions /> },
    ...(config.allowUserApiKeys ? [{ id: 'api-keys', label: t('API keys'), panel: <ApiKeysTab /> }] : []),
    { id: 'settings', label: t('Account'), panel: <SettingsTab /> },
    ...extraItems.map(({ id, title, content, icon, iconName }) => ({
      ...{ id, label: title, panel: content },
      icon: icon ?? (iconName && namedIcon(iconName)),
    })),
    ...teams.map((team, index) => ({
      ...{ id: `team-${team.id}`, label: team.displayName, startsGroup: index === 0 },
      panel: <TeamTab team={team} />,
    })),
    ...(config.clientTeamCreationEnabled
      ? [{ id: 'team-creation', label: t('Create a team'), panel: <CreateTeamTab />, startsGroup: teams.length === 0 }]
      : []),
  ];
}

/** In narrow windows a URL without a hash shows only the list of tabs. */
export function AccountSettings(account: Account) {
  const texts = useTexts();
  const { t } = texts;
  const { app, url, extraItems, isPage } = useHandler();
  const teams = useResource(['teams', account.user.id], app.teams.list);
  const tabs = tabsOf(account, teams.value ?? [], extraItems, texts);
  const hash = url.hash.slice(1);
  const [first] = tabs;
  const found = tabs.find(({ id }) => id === hash);
  const isLoading = hash.startsWith('team-') && teams.value === undefined && teams.error === undefined;
  const current = found ?? (isLoading ? undefined : first);
  useTitle(current && found ? `${current.label} · ${t('Account settings')}` : t('Account settings'));
  return (
    <AccountContext.Provider value={account}>
      <div className="gbh-account" data-open={found !== undefined}>
        <h1 className="gbh-title">{t('Account settings')}</h1>
        <nav aria-label={t('Account settings')}>
          {tabs.map(({ id, label, icon, startsGroup }) => (
            <Fragment key={id}>
              {startsGroup && <hr />}
              <a href={`#${id}`} aria-current={id === current?.id ? 'page' : undefined}>
                {icon}
                {label}
              </a>
            </Fragment>
          ))}
          <ActionError error={teams.error} />
          <PageLink to="home">{t('Back to app')}</PageLink>
        </nav>
        {current && (
          <div className="gbh-card gbh-panel">
            <a className="gbh-link gbh-back" href="#all">
              {t('All settings')}
            </a>
            <Fragment key={current.id}>
              <Heading takesFocus={isPage && found !== undefined}>{current.label}</Heading>
              {current.panel}
            </Fragment>
          </div>
        )}
      </div>
    </AccountContext.Provider>
  );
}

/** Takes the focus when a tab is selected, so that screen readers announce it. */
function Heading({ takesFocus, children }: { takesFocus: boolean; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [takesFocus]);
  return (
    <h2 ref={heading} tabIndex={-1}>
      {children}
    </h2>
  );
}
