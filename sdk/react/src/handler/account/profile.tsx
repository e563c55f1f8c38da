import { useState } from 'react';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button, TextField } from '../controls.tsx';
import { asSubmit } from '../submit.ts';
import { useAccount, useRefreshAccount } from './account.ts';
import { Failure } from './failure.tsx';
import { ProfileImage } from './profile-image.tsx';
import { Done, Section } from './section.tsx';

export function Profile() {
  return (
    <>
      <Name />
      <ProfileImage />
    </>
  );
}

function Name() {
  const { app } = useHandler();
  const { user } = useAccount();
  const refresh = useRefreshAccount();
  const [name, groupName] = useState(user.displayName ?? '');
  const [isSaved, setSaved] = useState(false);
  const save = useAction(async () => {
    await app.me.update({ displayName: name.trim() === '' ? null : name.trim() });
    await refresh();
    setSaved(true);
  });
  const type = (text: string) => {
    groupName(text);
    setSaved(false);
  };
  return (
    <Section title="Name">
      <form className="gbh-form" noValidate onSubmit={asSubmit(() => void save.run())}>
        <Failure error={save.error} />
        <TextField label="Your name" name="name" autoComplete="name" value={name} onChange={type} />
        <div className="gbh-row-actions">
          <Button type="submit" isBusy={save.isRunning} isDisabled={name.trim() === (user.displayName ?? '')}>
            Save
          </Button>
          {isSaved && <Done>Saved.</Done>}
        </div>
      </form>
    </Section>
  );
}
