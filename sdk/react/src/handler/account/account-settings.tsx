import { type ReactNode, useEffect, useRef } from 'react';
import { useHandler, useTitle } from '../context.ts';
import { PageLink } from '../controls.tsx';
import { type Account, AccountContext } from './account.ts';
import { ApiKeysTab } from './api-keys-tab.tsx';
import { ConnectedAccounts } from './connected-accounts.tsx';
import { EmailCodes } from './email-codes.tsx';
import { Emails } from './emails.tsx';
import { Leaving } from './leaving.tsx';
import { Passkey } from './passkey.tsx';
import { Password } from './password.tsx';
import { Profile } from './profile.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

type Tab = { id: string; label: string; panel: ReactNode };

/** In the order of client.md §14.4; the hash of the address names the one that is shown. */
function tabsOf({ project: { config } }: Account): Tab[] {
  return [
    { id: 'profile', label: 'Profile', panel: <Profile /> },
    {
      id: 'auth',
      label: 'E-mails and sign-in',
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
    { id: 'sessions', label: 'Active sessions', panel: <Sessions /> },
    ...(config.allowUserApiKeys ? [{ id: 'api-keys', label: 'API keys', panel: <ApiKeysTab /> }] : []),
    { id: 'settings', label: 'Settings', panel: <Leaving /> },
  ];
}

/** On narrow windows the list of tabs is a page of its own, which an address without a hash shows. */
export function AccountSettings(account: Account) {
  const { url } = useHandler();
  const tabs = tabsOf(account);
  const hash = url.hash.slice(1);
  const [first] = tabs;
  const found = tabs.find(({ id }) => id === hash);
  const current = found ?? first;
  useTitle(current && found ? `${current.label} · Your account` : 'Your account');
  return (
    <AccountContext value={account}>
      <div className="gbh-account" data-open={found !== undefined}>
        <h1 className="gbh-title">Your account</h1>
        <nav aria-label="Your account">
          {tabs.map(({ id, label }) => (
            <a key={id} href={`#${id}`} aria-current={id === current?.id ? 'page' : undefined}>
              {label}
            </a>
          ))}
          <PageLink to="home">Back to the site</PageLink>
        </nav>
        {current && (
          <div className="gbh-card gbh-panel">
            <a className="gbh-link gbh-back" href="#all">
              All of your account
            </a>
            <Heading key={current.id} takesFocus={found !== undefined}>
              {current.label}
            </Heading>
            {current.panel}
          </div>
        )}
      </div>
    </AccountContext>
  );
}

/** Takes the focus when a tab is chosen, so that it is read out; not when the page opens. */
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
