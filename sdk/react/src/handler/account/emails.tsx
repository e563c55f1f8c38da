import { type ContactChannel, emailFault } from '@gatebook/js/core';
import { isKnownError } from '@gatebook/js/errors';
import { useRef, useState } from 'react';
import { type Texts, useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button, TextField } from '../controls.tsx';
import { MailIcon } from '../icons.tsx';
import { submitHandler } from '../submit-handler.ts';
import { useChannels, useRefreshAccount } from './account.ts';
import { ActionError, SignInAgain } from './action-error.tsx';
import { AddressText } from './address-text.tsx';
import { ConfirmButton } from './confirm-button.tsx';
import { Row, Rows, Section, SuccessNote } from './section.tsx';

/** Email addresses: primary, verified, used for sign-in (protocol, client §14.4). */
export function Emails() {
  const { t } = useTexts();
  const channels = useChannels();
  const signIns = channels.value?.filter(({ usedForAuth }) => usedForAuth) ?? [];
  return (
    <Section title={t('Email addresses')}>
      <Rows list={channels} label={t('Loading email addresses')} empty={t('No email addresses.')}>
        {(channel) => (
          <Address key={channel.id} channel={channel} isLastSignIn={channel.usedForAuth && signIns.length === 1} />
        )}
      </Rows>
      {channels.value && <AddAddress taken={channels.value.map(({ value }) => value)} />}
    </Section>
  );
}

function Address({ channel, isLastSignIn }: { channel: ContactChannel; isLastSignIn: boolean }) {
  const texts = useTexts();
  const { t } = texts;
  const { app } = useHandler();
  const refresh = useRefreshAccount();
  const [isSent, setSent] = useState(false);
  const { value, isPrimary, isVerified, usedForAuth } = channel;
  const send = useAction(async () => {
    await app.contactChannels.sendVerification(channel, app.redirects.callbackUrl('emailVerification'));
    setSent(true);
  });
  const change = useAction(async (changes: { isPrimary?: boolean; usedForAuth?: boolean }) => {
    await app.contactChannels.update(channel, changes);
    await refresh();
  });
  const error = send.error ?? change.error;
  const badges = [
    ...(isPrimary ? [t('Primary')] : []),
    ...(isVerified ? [] : [t('Not verified')]),
    ...(usedForAuth ? [t('Used for sign-in')] : []),
  ];
  return (
    <Row
      icon={<MailIcon />}
      title={<AddressText value={value} />}
      badges={badges}
      small={
        <>
          {error !== undefined && (
            <span role="alert">
              {addressText(texts, error)}
              <SignInAgain error={error} />
            </span>
          )}
          {isSent && (
            <span role="status">{t('Verification email sent. Open the link in it to verify the address.')}</span>
          )}
        </>
      }
    >
      {!isVerified && !isSent && (
        <Button
          tone="quiet"
          onClick={() => void send.run()}
          isBusy={send.isRunning}
          label={t('Send verification email to {email}', { email: value })}
        >
          {t('Verify')}
        </Button>
      )}
      {isVerified && !isPrimary && (
        <Button
          tone="quiet"
          onClick={() => void change.run({ isPrimary: true })}
          isDisabled={change.isRunning}
          label={t('Make {email} primary', { email: value })}
        >
          {t('Make primary')}
        </Button>
      )}
      {isVerified && !usedForAuth && (
        <Button
          tone="quiet"
          onClick={() => void change.run({ usedForAuth: true })}
          isDisabled={change.isRunning}
          label={t('Use {email} for sign-in', { email: value })}
        >
          {t('Use for sign-in')}
        </Button>
      )}
      {usedForAuth && !isLastSignIn && (
        <Button
          tone="quiet"
          onClick={() => void change.run({ usedForAuth: false })}
          isDisabled={change.isRunning}
          label={t('Stop using {email} for sign-in', { email: value })}
        >
          {t('Stop using for sign-in')}
        </Button>
      )}
      {!isLastSignIn && (
        <ConfirmButton
          label={t('Remove')}
          name={t('Remove {email}', { email: value })}
          question={t('Remove {email} from your account?', { email: value })}
          confirmLabel={t('Remove email')}
          call={async () => {
            await app.contactChannels.delete(channel);
            await refresh();
          }}
        />
      )}
    </Row>
  );
}

function AddAddress({ taken }: { taken: readonly string[] }) {
  const texts = useTexts();
  const { t } = texts;
  const { app } = useHandler();
  const refresh = useRefreshAccount();
  const [email, setEmail] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [added, setAdded] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const add = useAction(async (value: string) => {
    const channel = await app.contactChannels.create('me', { value, usedForAuth: false });
    setEmail('');
    if (!channel.isVerified) {
      await app.contactChannels.sendVerification(channel, app.redirects.callbackUrl('emailVerification'));
    }
    setAdded(value);
    await refresh();
  });
  const submit = () => {
    const value = email.trim();
    const isTaken = taken.some((known) => known.toLowerCase() === value.toLowerCase());
    const found = isTaken ? t('You already have this address') : emailFault(value);
    setFault(found === null ? null : texts.translate(found));
    setAdded(null);
    if (found === null) void add.run(value);
    else input.current?.focus();
  };
  return (
    <form className="gbh-form" noValidate onSubmit={submitHandler(submit)}>
      <ActionError error={add.error} textOf={(error) => addressText(texts, error)} />
      <TextField
        label={t('Add an email address')}
        type="email"
        name="email"
        autoComplete="email"
        value={email}
        onChange={setEmail}
        fault={fault}
        inputRef={input}
      />
      <div className="gbh-row-actions">
        <Button tone="plain" type="submit" isBusy={add.isRunning}>
          {t('Add email')}
        </Button>
        {added && <SuccessNote>{t('Verification email sent to {email}.', { email: added })}</SuccessNote>}
      </div>
    </form>
  );
}

function addressText({ t, errorText }: Texts, error: unknown): string {
  if (isKnownError(error, 'CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE')) {
    return t('Another account uses this address for sign-in.');
  }
  return errorText(error);
}
