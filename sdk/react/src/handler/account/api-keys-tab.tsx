import { type ApiKey, type ApiKeyOwner, whyKeyInvalid } from '@gatebook/js/core';
import { useId, useRef, useState } from 'react';
import type { PlainText } from '../../texts/texts.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button, ErrorNote, TextField } from '../controls.tsx';
import { TerminalIcon } from '../icons.tsx';
import { submitHandler } from '../submit-handler.ts';
import { useAccount, useOwnResource } from './account.ts';
import { ActionError } from './action-error.tsx';
import { ConfirmButton } from './confirm-button.tsx';
import { Row, Rows, Section } from './section.tsx';
import { dayText } from './times.ts';

const DAY_MS = 86_400_000;
/** In days; null never expires (protocol, client §14.4). */
const lifetimes = {
  '1 day': 1,
  '7 days': 7,
  '30 days': 30,
  '90 days': 90,
  '1 year': 365,
  Never: null,
} as const satisfies Partial<Record<PlainText, number | null>>;
type Lifetime = keyof typeof lifetimes;

/** The user's API keys: active keys first, newest first. */
export function ApiKeysTab() {
  const { t } = useTexts();
  const { user } = useAccount();
  return (
    <ApiKeys
      owner={{ type: 'user', id: user.id }}
      title={t('Your API keys')}
      lead={t('Scripts use an API key to act as you.')}
    />
  );
}

/** The API keys of a user or a team. */
export function ApiKeys({ owner, title, lead }: { owner: ApiKeyOwner; title: string; lead: string }) {
  const { t } = useTexts();
  const { app } = useHandler();
  const keys = useOwnResource(['api-keys', owner.id], async () => {
    const now = new Date();
    return (await app.apiKeys.list(owner)).toSorted(
      (a, b) =>
        Number(whyKeyInvalid(a, now) !== null) - Number(whyKeyInvalid(b, now) !== null) ||
        b.createdAt.getTime() - a.createdAt.getTime(),
    );
  });
  return (
    <Section title={title} lead={lead}>
      <NewKey
        create={async (description, expiresAt) => {
          const text = await app.apiKeys.create(owner, { description, expiresAt });
          await keys.refresh();
          return text;
        }}
      />
      <Rows list={keys} label={t('Loading API keys')} empty={t('No API keys.')}>
        {(key) => (
          <Key
            key={key.id}
            apiKey={key}
            revoke={async () => {
              await app.apiKeys.revoke(owner, key.id);
              await keys.refresh();
            }}
          />
        )}
      </Rows>
    </Section>
  );
}

function Key({ apiKey, revoke }: { apiKey: ApiKey; revoke: () => Promise<void> }) {
  const { t, lang } = useTexts();
  const reason = whyKeyInvalid(apiKey, new Date());
  const badges = reason === null ? [] : [reason === 'expired' ? t('Expired') : t('Revoked')];
  return (
    <Row
      icon={<TerminalIcon />}
      title={apiKey.description}
      badges={badges}
      small={
        <>
          <span className="gbh-mono">…{apiKey.lastFour}</span>
          <span>{t('Created {date}', { date: dayText(apiKey.createdAt, lang) })}</span>
          {reason === null && (
            <span>
              {apiKey.expiresAt ? t('Expires {date}', { date: dayText(apiKey.expiresAt, lang) }) : t('Never expires')}
            </span>
          )}
        </>
      }
    >
      {reason === null && (
        <ConfirmButton
          label={t('Revoke')}
          name={t('Revoke {name}', { name: apiKey.description })}
          question={t('Revoke this key? Anything that uses it will stop working.')}
          confirmLabel={t('Revoke key')}
          call={revoke}
        />
      )}
    </Row>
  );
}

function NewKey({ create }: { create: (description: string, expiresAt: Date | null) => Promise<string> }) {
  const { t } = useTexts();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [description, setDescription] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('30 days');
  const [fault, setFault] = useState<string | null>(null);
  const [text, setText] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const createKey = useAction(async () => {
    const days = lifetimes[lifetime];
    setText(await create(description.trim(), days === null ? null : new Date(Date.now() + days * DAY_MS)));
  });
  const close = () => {
    setOpen(false);
    setText(null);
    setDescription('');
    createKey.reset();
  };
  if (text !== null) return <CreatedKey text={text} onClose={close} />;
  if (!isOpen) {
    return (
      <div className="gbh-row-actions">
        <Button tone="plain" onClick={() => setOpen(true)}>
          {t('Create API key')}
        </Button>
      </div>
    );
  }
  const submit = () => {
    const found = description.trim() === '' ? t('Enter a name') : null;
    setFault(found);
    if (found === null) void createKey.run();
    else input.current?.focus();
  };
  return (
    <form className="gbh-form" noValidate onSubmit={submitHandler(submit)}>
      <ActionError error={createKey.error} />
      <TextField label={t('Name')} value={description} onChange={setDescription} fault={fault} inputRef={input} />
      <div className="gbh-field">
        <label htmlFor={id}>{t('Expiration')}</label>
        <select
          id={id}
          className="gbh-input"
          value={lifetime}
          onChange={({ currentTarget }) => setLifetime(currentTarget.value as Lifetime)}
        >
          {(Object.keys(lifetimes) as Lifetime[]).map((name) => (
            <option key={name} value={name}>
              {t(name)}
            </option>
          ))}
        </select>
      </div>
      <div className="gbh-row-actions">
        <Button type="submit" isBusy={createKey.isRunning}>
          {t('Create key')}
        </Button>
        <Button tone="quiet" onClick={close}>
          {t('Cancel')}
        </Button>
      </div>
    </form>
  );
}

/** The only time the key is shown. */
function CreatedKey({ text, onClose }: { text: string; onClose: () => void }) {
  const { t } = useTexts();
  const [isCopied, setCopied] = useState(false);
  const copy = useAction(async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  });
  return (
    <div className="gbh-form" role="status">
      <p>{t("Copy the key now. You won't be able to see it again.")}</p>
      <p className="gbh-mono gbh-secret">{text}</p>
      {copy.error !== undefined && <ErrorNote>{t('Your browser blocked copying. Copy the key manually.')}</ErrorNote>}
      <div className="gbh-row-actions">
        <Button tone="plain" onClick={() => void copy.run()}>
          {isCopied ? t('Copied') : t('Copy')}
        </Button>
        <Button tone="quiet" onClick={onClose}>
          {t("Done, I've saved it")}
        </Button>
      </div>
    </div>
  );
}
