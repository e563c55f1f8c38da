import { useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button, TextField } from '../controls.tsx';
import { submitHandler } from '../submit-handler.ts';
import { useAccount, useRefreshAccount } from './account.ts';
import { ActionError } from './action-error.tsx';
import { ProfileImage } from './profile-image.tsx';
import { Section, SuccessNote } from './section.tsx';

export function Profile() {
  return (
    <>
      <Name />
      <ProfileImage />
    </>
  );
}

function Name() {
  const { t } = useTexts();
  const { app } = useHandler();
  const { user } = useAccount();
  const refresh = useRefreshAccount();
  const [name, setName] = useState(user.displayName ?? '');
  const [isSaved, setSaved] = useState(false);
  const save = useAction(async () => {
    await app.me.update({ displayName: name.trim() === '' ? null : name.trim() });
    await refresh();
    setSaved(true);
  });
  const type = (text: string) => {
    setName(text);
    setSaved(false);
  };
  return (
    <Section title={t('Name')}>
      <form className="gbh-form" noValidate onSubmit={submitHandler(() => void save.run())}>
        <ActionError error={save.error} />
        <TextField label={t('Your name')} name="name" autoComplete="name" value={name} onChange={type} />
        <div className="gbh-row-actions">
          <Button type="submit" isBusy={save.isRunning} isDisabled={name.trim() === (user.displayName ?? '')}>
            {t('Save')}
          </Button>
          {isSaved && <SuccessNote>{t('Saved.')}</SuccessNote>}
        </div>
      </form>
    </Section>
  );
}
