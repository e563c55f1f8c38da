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
  /** For previews: shown in place of the current user, and entries do nothing. */
  mockUser?: { displayName?: string; primaryEmail?: string; profileImageUrl?: string };
};
type ShownUser = Pick<CurrentUser, 'id' | 'displayName' | 'primaryEmail' | 'profileImageUrl'>;

/** The user's picture, which opens a menu: account settings and sign-out, or sign-in and sign-up. */
export function UserButton({ mockUser, ...props }: UserButtonProps) {
  const mock = mockUser && { id: '', displayName: null, primaryEmail: null, profileImageUrl: null, ...mockUser };
  return (
    <Inline skeleton={<Avatar user={null} size={AVATAR_SIZE} />}>
      {mock ? <UserMenu {...props} user={mock} run={() => {}} /> : <OwnMenu {...props} />}
    </Inline>
  );
}

type Act = () => unknown;

function OwnMenu(props: UserButtonProps) {
  const user = useUser({ includeRestricted: true });
  const action = useAction(async (act: Act) => act());
  return (
    <>
      <UserMenu {...props} user={user} run={(act) => void action.run(act)} isBusy={action.isRunning} />
      {action.error !== undefined && <ActionFault error={action.error} />}
    </>
  );
}

type MenuProps = UserButtonProps & { user: ShownUser | null; run: (act: Act) => void; isBusy?: boolean };

function UserMenu({ user, run, isBusy = false, showUserInfo = false, ...props }: MenuProps) {
  const { colorModeToggle, extraItems = [] } = props;
  const { t } = useTexts();
  const app = useGatebookApp();
  const item = (id: string, label: string, icon: ReactNode, act: Act): MenuItem => ({
    ...{ id, label, icon },
    onSelect: () => run(act),
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
    ...(user ? [item('sign-out', t('Sign out'), <DoorIcon />, () => app.signOut())] : []),
  ];
  const info = <UserInfo user={user} />;
  return (
    <Menu
      label={user ? t('Account of {name}', { name: nameOf(user) }) : t('Account')}
      trigger={
        <>
          <Avatar user={user} size={AVATAR_SIZE} />
          {showUserInfo && info}
        </>
      }
      isBusy={isBusy}
      header={info}
      items={items}
    />
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

const nameOf = (user: ShownUser): string => user.displayName || user.primaryEmail || user.id;

function UserInfo({ user }: { user: ShownUser | null }) {
  const { t } = useTexts();
  if (!user) return <span className="gbh-user-info">{t('Not signed in')}</span>;
  return (
    <span className="gbh-user-info">
      <strong>{nameOf(user)}</strong>
      {user.displayName && user.primaryEmail && <small>{user.primaryEmail}</small>}
    </span>
  );
}
