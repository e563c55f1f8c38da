import type { ContactChannel } from '@gatebook/js/contact-channels';
import { errorText } from '@gatebook/js/error-text';
import { isKnownError } from '@gatebook/js/errors';
import { emailFault } from '@gatebook/js/validation';
import { useRef, useState } from 'react';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button, TextField } from '../controls.tsx';
import { MailIcon } from '../icons.tsx';
import { asSubmit } from '../submit.ts';
import { useChannels, useRefreshAccount } from './account.ts';
import { Confirmed } from './confirmed.tsx';
import { Failure, SignInAgain } from './failure.tsx';
import { Done, Row, Rows, Section } from './section.tsx';

/** Addresses: which is written to, which is verified, which signs in (client.md §14.4). */
export function Emails() {
  const channels = useChannels();
  const signIns = channels.value?.filter(({ usedForAuth }) => usedForAuth) ?? [];
  return (
    <Section title="E-mail addresses">
      <Rows list={channels} label="Loading addresses" empty="You have none.">
        {(channel) => (
          <Address key={channel.id} channel={channel} isLastSignIn={channel.usedForAuth && signIns.length === 1} />
        )}
      </Rows>
      {channels.value && <AddAddress taken={channels.value.map(({ value }) => value)} />}
    </Section>
  );
}

function Address({ channel, isLastSignIn }: { channel: ContactChannel; isLastSignIn: boolean }) {
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
    ...(isPrimary ? ['Primary'] : []),
    ...(isVerified ? [] : ['Not verified']),
    ...(usedForAuth ? ['Signs in'] : []),
  ];
  return (
    <Row
      icon={<MailIcon />}
      title={value}
      badges={badges}
      small={
        <>
          {error !== undefined && (
            <span role="alert">
              {addressText(error)}
              <SignInAgain error={error} />
            </span>
          )}
          {isSent && <span role="status">A mail is on its way. Open its link to verify the address.</span>}
        </>
      }
    >
      {!isVerified && !isSent && (
        <Button
          tone="quiet"
          onClick={() => void send.run()}
          isBusy={send.isRunning}
          label={`Mail a link to verify ${value}`}
        >
          Verify
        </Button>
      )}
      {isVerified && !isPrimary && (
        <Button
          tone="quiet"
          onClick={() => void change.run({ isPrimary: true })}
          isDisabled={change.isRunning}
          label={`Make ${value} the primary address`}
        >
          Make primary
        </Button>
      )}
      {isVerified && !usedForAuth && (
        <Button
          tone="quiet"
          onClick={() => void change.run({ usedForAuth: true })}
          isDisabled={change.isRunning}
          label={`Sign in with ${value}`}
        >
          Use to sign in
        </Button>
      )}
      {usedForAuth && !isLastSignIn && (
        <Button
          tone="quiet"
          onClick={() => void change.run({ usedForAuth: false })}
          isDisabled={change.isRunning}
          label={`No longer sign in with ${value}`}
        >
          Do not sign in with it
        </Button>
      )}
      {!isLastSignIn && (
        <Confirmed
          label="Remove"
          name={`Remove ${value}`}
          question={`Remove ${value} from your account?`}
          confirmLabel="Remove it"
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
    const found = isTaken ? 'You have this address already' : emailFault(value);
    setFault(found);
    setAdded(null);
    if (found === null) void add.run(value);
    else input.current?.focus();
  };
  return (
    <form className="gbh-form" noValidate onSubmit={asSubmit(submit)}>
      <Failure error={add.error} textOf={addressText} />
      <TextField
        label="Another address"
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
          Add the address
        </Button>
        {added && <Done>A mail to verify {added} is on its way.</Done>}
      </div>
    </form>
  );
}

function addressText(error: unknown): string {
  if (isKnownError(error, 'CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE')) {
    return 'Somebody else signs in with this address.';
  }
  return errorText(error);
}
