'use client';

import type { ReactNode } from 'react';
import type { CurrentUser } from '../app-types.ts';
import { Avatar, type AvatarUser } from '../handler/avatar.tsx';
import { DoorIcon, PersonIcon, SettingsIcon, ThemeIcon } from '../handler/icons.tsx';
import { useGatebookApp, useUser } from '../provider.tsx';
import { useTexts } from '../texts/use-texts.ts';
import { useAction } from '../use-action.ts';
import { Inline } from './inline.tsx';
import { Menu, type MenuItem } from './menu.tsx';

/** In pixels. */
const AVATAR_SIZE = 34;

export type UserAvatarProps = { user?: AvatarUser | null; size?: number; border?: boolean };

/** The picture of a user, or their first letters, or an icon. Decorative: show the name beside it. */
export function UserAvatar({ user = null, size = AVATAR_SIZE, border = false }: UserAvatarProps) {
  return (
    <Inline>
      <Avatar user={user} size={size} border={border} />
    </Inline>
  );
}

export type UserButtonProps = {
  /** Shows name and email beside the picture. */
  showUserInfo?: boolean;
  /** Adds an entry that switches between light and dark. */
  colorModeToggle?: () => void | Promise<void>;
  extraItems?: readonly { text: string; icon?: ReactNode; onClick: () => void | Promise<void> }[];
};

/** The user's picture, which opens a menu: account settings and sign-out, or sign-in and sign-up. */
export function UserButton(props: UserButtonProps) {
  return (
    <Inline skeleton={<Avatar user={null} size={AVATAR_SIZE} />}>
      <UserMenu {...props} />
    </Inline>
  );
}

function UserMenu({ showUserInfo = false, colorModeToggle, extraItems = [] }: UserButtonProps) {
  const { t } = useTexts();
  const app = useGatebookApp();
  const user = useUser({ includeRestricted: true });
  const action = useAction(async (act: () => unknown) => act());
  const item = (id: string, label: string, icon: ReactNode, act: () => unknown): MenuItem => ({
    ...{ id, label, icon },
    onSelect: () => void action.run(act),
  });
  const own = user
    ? [
        item('settings', t('Account settings'), <SettingsIcon />, () => app.redirectToAccountSettings()),
        ...extraItems.map(({ text, icon, onClick }) => item(`extra ${text}`, text, icon, onClick)),
      ]
    : [
        item('sign-in', t('Sign in'), <PersonIcon />, () => app.redirectToSignIn()),
        item('sign-up', t('Sign up'), <PersonIcon />, () => app.redirectToSignUp()),
      ];
  const items = [
    ...own,
    ...(colorModeToggle ? [item('theme', t('Switch theme'), <ThemeIcon />, colorModeToggle)] : []),
    ...(user ? [item('sign-out', t('Sign out'), <DoorIcon />, () => user.signOut())] : []),
  ];
  const info = <UserInfo user={user} />;
  return (
    <>
      <Menu
        label={user ? t('Account of {name}', { name: nameOf(user) }) : t('Account')}
        trigger={
          <>
            <Avatar user={user} size={AVATAR_SIZE} />
            {showUserInfo && info}
          </>
        }
        isBusy={action.isRunning}
        header={info}
        items={items}
      />
      {action.error !== undefined && <ActionFault error={action.error} />}
    </>
  );
}

export function ActionFault({ error }: { error: unknown }) {
  const { errorText } = useTexts();
  return (
    <p className="gbh-fault" role="alert">
      {errorText(error)}
    </p>
  );
}

const nameOf = (user: CurrentUser): string => user.displayName || user.primaryEmail || user.id;

function UserInfo({ user }: { user: CurrentUser | null }) {
  const { t } = useTexts();
  if (!user) return <span className="gbh-user-info">{t('Not signed in')}</span>;
  return (
    <span className="gbh-user-info">
      <strong>{nameOf(user)}</strong>
      {user.displayName && user.primaryEmail && <small>{user.primaryEmail}</small>}
    </span>
  );
}
