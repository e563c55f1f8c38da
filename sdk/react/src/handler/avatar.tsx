import { PersonIcon } from './icons.tsx';

export type AvatarUser = {
  displayName?: string | null;
  primaryEmail?: string | null;
  profileImageUrl?: string | null;
};
type AvatarProps = {
  user: AvatarUser | null;
  /** In pixels; 64 by default. */
  size?: number;
  border?: boolean;
};

/** The profile picture, or the first two letters of the name, or an icon (protocol, client §14.3). */
export function Avatar({ user, size, border = false }: AvatarProps) {
  const letters = (user?.displayName || user?.primaryEmail || '').trim().slice(0, 2).toUpperCase();
  const style = size === undefined ? undefined : { width: size, height: size, fontSize: size * 0.4 };
  return (
    <span className="gbh-avatar" data-border={border} style={style} aria-hidden="true">
      {user?.profileImageUrl ? (
        <img src={user.profileImageUrl} alt="" />
      ) : (
        letters || <PersonIcon size={size === undefined ? 28 : size * 0.6} />
      )}
    </span>
  );
}
