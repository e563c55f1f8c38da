import { isKnownError } from '@gatebook/js/errors';
import { useRef, useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button, PasswordField } from '../controls.tsx';
import { submitHandler } from '../submit-handler.ts';
import { useNewPassword } from '../use-new-password.tsx';
import { useAccount, useChannels, useRefreshAccount } from './account.ts';
import { ActionError } from './action-error.tsx';
import { Section, SuccessNote } from './section.tsx';

export function Password() {
  const { t } = useTexts();
  const { user } = useAccount();
  const channels = useChannels();
  const [isOpen, setOpen] = useState(false);
  const [isDone, setDone] = useState(false);
  const needsAddress = channels.value?.every(({ usedForAuth }) => !usedForAuth) ?? false;
  const lead = needsAddress
    ? t('Add an email address for sign-in first.')
    : user.hasPassword
      ? t('Changing your password signs you out on all other devices.')
      : t('You have no password yet.');
  return (
    <Section title={t('Password')} lead={lead}>
      {isDone && <SuccessNote>{t('Password changed.')}</SuccessNote>}
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
              {user.hasPassword ? t('Change password') : t('Set password')}
            </Button>
          </div>
        )
      )}
    </Section>
  );
}

function PasswordForm({ onCancel, onDone }: { onCancel: () => void; onDone: () => void }) {
  const { t } = useTexts();
  const { app } = useHandler();
  const { user } = useAccount();
  const refresh = useRefreshAccount();
  const [current, setCurrent] = useState('');
  const [currentFault, setCurrentFault] = useState<string | null>(null);
  const currentInput = useRef<HTMLInputElement>(null);
  const { password, validate, showRejection, fields } = useNewPassword(t('New password'));
  const save = useAction(async () => {
    try {
      if (user.hasPassword) await app.auth.updatePassword({ oldPassword: current, newPassword: password });
      else await app.auth.setPassword({ password });
    } catch (error) {
      if (isKnownError(error, 'PASSWORD_CONFIRMATION_MISMATCH')) {
        setCurrentFault(t('Wrong password'));
        currentInput.current?.focus();
      } else {
        showRejection(error);
      }
      return;
    }
    await refresh();
    onDone();
  });
  const submit = () => {
    const isCurrentMissing = user.hasPassword && current === '';
    setCurrentFault(isCurrentMissing ? t('Enter your current password') : null);
    const invalidInput = validate();
    const first = isCurrentMissing ? currentInput : invalidInput;
    if (first === null) void save.run();
    else first.current?.focus();
  };
  return (
    <form className="gbh-form" noValidate onSubmit={submitHandler(submit)}>
      <ActionError error={save.error} />
      {user.hasPassword && (
        <PasswordField
          label={t('Current password')}
          name="old-password"
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          fault={currentFault}
          inputRef={currentInput}
        />
      )}
      {fields}
      <div className="gbh-row-actions">
        <Button type="submit" isBusy={save.isRunning}>
          {t('Save password')}
        </Button>
        <Button tone="quiet" onClick={onCancel}>
          {t('Cancel')}
        </Button>
      </div>
    </form>
  );
}
