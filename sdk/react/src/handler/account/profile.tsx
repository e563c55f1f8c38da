import { useTexts } from '../../texts/use-texts.ts';
import { useHandler } from '../context.ts';
import { useAccount, useRefreshAccount } from './account.ts';
import { NameForm } from './name-form.tsx';
import { ProfileImage } from './profile-image.tsx';

export function Profile() {
  const { t } = useTexts();
  const { app } = useHandler();
  const { user } = useAccount();
  const refresh = useRefreshAccount();
  return (
    <>
      <NameForm
        title={t('Name')}
        label={t('Your name')}
        autoComplete="name"
        value={user.displayName ?? ''}
        save={async (name) => {
          await app.me.update({ displayName: name === '' ? null : name });
          await refresh();
        }}
      />
      <ProfileImage
        title={t('Profile picture')}
        shown={user}
        save={async (profileImageUrl) => {
          await app.me.update({ profileImageUrl });
          await refresh();
        }}
      />
    </>
  );
}
