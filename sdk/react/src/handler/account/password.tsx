import { isKnownError } from '@gatebook/js/errors';
import { rejectedPasswordFault } from '@gatebook/js/validation';
import { useRef, useState } from 'react';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button, PasswordField } from '../controls.tsx';
import { type NewPasswordFaults, NewPasswordFields, newPasswordFaults } from '../new-password-fields.tsx';
import { asSubmit } from '../submit.ts';
import { useAccount, useChannels, useRefreshAccount } from './account.ts';
import { Failure } from './failure.tsx';
import { Done, Section } from './section.tsx';

export function Password() {
  const { user } = useAccount();
  const channels = useChannels();
  const [isOpen, setOpen] = useState(false);
  const [isDone, setDone] = useState(false);
  const needsAddress = channels.value?.every(({ usedForAuth }) => !usedForAuth) ?? false;
  const lead = needsAddress
    ? 'It needs an e-mail address that signs in.'
    : user.hasPassword
      ? 'Changing it signs you out everywhere else.'
      : 'You have none yet.';
  return (
    <Section title="Password" lead={lead}>
      {isDone && <Done>Your password is changed.</Done>}
      {isOpen ? (
        <PasswordForm
          onCancel={() => setOpen(false)}
          onDone={() => {
            setOpen(false);
            setDone(true);
          }}
        />
      ) : (
        !needsAddress && (
          <div className="gbh-row-actions">
            <Button tone="plain" onClick={() => setOpen(true)}>
              {user.hasPassword ? 'Change the password' : 'Set a password'}
            </Button>
          </div>
        )
      )}
    </Section>
  );
}

type Faults = NewPasswordFaults & { old?: string | null };

function PasswordForm({ onCancel, onDone }: { onCancel: () => void; onDone: () => void }) {
  const { app } = useHandler();
  const { user } = useAccount();
  const refresh = useRefreshAccount();
  const [old, setOld] = useState('');
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const [faults, setFaults] = useState<Faults>({});
  const refs = {
    old: useRef<HTMLInputElement>(null),
    password: useRef<HTMLInputElement>(null),
    repeated: useRef<HTMLInputElement>(null),
  };
  const save = useAction(async () => {
    try {
      if (user.hasPassword) await app.auth.updatePassword({ oldPassword: old, newPassword: password });
      else await app.auth.setPassword({ password });
    } catch (error) {
      const found: Faults = faultsOf(error);
      setFaults(found);
      (found.old ? refs.old : refs.password).current?.focus();
      return;
    }
    await refresh();
    onDone();
  });
  const submit = () => {
    const isOldMissing = user.hasPassword && old === '';
    const found: Faults = {
      ...newPasswordFaults(password, repeated),
      ...(isOldMissing && { old: 'Enter your current password' }),
    };
    setFaults(found);
    if (found.old) refs.old.current?.focus();
    else if (found.password) refs.password.current?.focus();
    else if (found.repeated) refs.repeated.current?.focus();
    else void save.run();
  };
  return (
    <form className="gbh-form" noValidate onSubmit={asSubmit(submit)}>
      <Failure error={save.error} />
      {user.hasPassword && (
        <PasswordField
          label="Current password"
          name="old-password"
          autoComplete="current-password"
          value={old}
          onChange={setOld}
          fault={faults.old ?? null}
          inputRef={refs.old}
        />
      )}
      <NewPasswordFields
        label="New password"
        password={password}
        onPassword={setPassword}
        repeated={repeated}
        onRepeated={setRepeated}
        faults={faults}
        refs={refs}
      />
      <div className="gbh-row-actions">
        <Button type="submit" isBusy={save.isRunning}>
          Save the password
        </Button>
        <Button tone="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** What is said at a field. @throws whatever is not about one */
function faultsOf(error: unknown): Faults {
  if (isKnownError(error, 'PASSWORD_CONFIRMATION_MISMATCH')) return { old: 'This is not your current password' };
  const password = rejectedPasswordFault(error);
  if (password !== null) return { password };
  throw error;
}
