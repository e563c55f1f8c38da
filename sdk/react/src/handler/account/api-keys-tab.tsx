import { type ApiKey, whyKeyInvalid } from '@gatebook/js/api-keys';
import { requiredFault } from '@gatebook/js/validation';
import { useId, useRef, useState } from 'react';
import { useAction } from '../../use-action.ts';
import { useResource } from '../../use-resource.ts';
import { useHandler } from '../context.ts';
import { Button, ErrorNote, TextField } from '../controls.tsx';
import { TerminalIcon } from '../icons.tsx';
import { asSubmit } from '../submit.ts';
import { useAccount } from './account.ts';
import { Confirmed } from './confirmed.tsx';
import { Failure } from './failure.tsx';
import { Row, Rows, Section } from './section.tsx';
import { dayText } from './times.ts';

const DAY_MS = 86_400_000;
/** In days; 200 years stand for never (client.md §14.4). */
const lives = { '1 day': 1, '7 days': 7, '30 days': 30, '90 days': 90, '1 year': 365, Never: null } as const;
type Life = keyof typeof lives;

/** Keys for one's own scripts: those that work first, the newest of them at the top. */
export function ApiKeysTab() {
  const { app } = useHandler();
  const { user } = useAccount();
  const owner = { type: 'user', id: user.id } as const;
  const keys = useResource(['api-keys'], async () => {
    const now = new Date();
    return (await app.apiKeys.list(owner)).toSorted(
      (a, b) =>
        Number(whyKeyInvalid(a, now) !== null) - Number(whyKeyInvalid(b, now) !== null) ||
        b.createdAt.getTime() - a.createdAt.getTime(),
    );
  });
  return (
    <Section title="Your keys" lead="With one of them a script of yours acts in your name.">
      <NewKey
        create={async (description, expiresAt) => {
          const text = await app.apiKeys.create(owner, { description, expiresAt });
          await keys.refresh();
          return text;
        }}
      />
      <Rows list={keys} label="Loading keys" empty="You have none.">
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
  const reason = whyKeyInvalid(apiKey, new Date());
  const badges = reason === null ? [] : [reason === 'expired' ? 'Expired' : 'Revoked'];
  return (
    <Row
      icon={<TerminalIcon />}
      title={apiKey.description}
      badges={badges}
      small={
        <>
          <span className="gbh-mono">…{apiKey.lastFour}</span>
          <span>Made {dayText(apiKey.createdAt)}</span>
          {reason === null && (
            <span>{apiKey.expiresAt ? `Works until ${dayText(apiKey.expiresAt)}` : 'Works for ever'}</span>
          )}
        </>
      }
    >
      {reason === null && (
        <Confirmed
          label="Revoke"
          name={`Revoke ${apiKey.description}`}
          question="Revoke this key? What uses it stops working."
          confirmLabel="Revoke it"
          call={revoke}
        />
      )}
    </Row>
  );
}

function NewKey({ create }: { create: (description: string, expiresAt: Date | null) => Promise<string> }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [description, setDescription] = useState('');
  const [life, setLife] = useState<Life>('30 days');
  const [fault, setFault] = useState<string | null>(null);
  const [text, setText] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const make = useAction(async () => {
    const days = lives[life];
    setText(await create(description.trim(), days === null ? null : new Date(Date.now() + days * DAY_MS)));
  });
  const close = () => {
    setOpen(false);
    setText(null);
    setDescription('');
    make.reset();
  };
  if (text !== null) return <NewText text={text} onClose={close} />;
  if (!isOpen) {
    return (
      <div className="gbh-row-actions">
        <Button tone="plain" onClick={() => setOpen(true)}>
          Make a key
        </Button>
      </div>
    );
  }
  const submit = () => {
    const found = requiredFault('what it is for')(description);
    setFault(found);
    if (found === null) void make.run();
    else input.current?.focus();
  };
  return (
    <form className="gbh-form" noValidate onSubmit={asSubmit(submit)}>
      <Failure error={make.error} />
      <TextField label="What it is for" value={description} onChange={setDescription} fault={fault} inputRef={input} />
      <div className="gbh-field">
        <label htmlFor={id}>Works for</label>
        <select
          id={id}
          className="gbh-input"
          value={life}
          onChange={({ currentTarget }) => setLife(currentTarget.value as Life)}
        >
          {Object.keys(lives).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <div className="gbh-row-actions">
        <Button type="submit" isBusy={make.isRunning}>
          Make the key
        </Button>
        <Button tone="quiet" onClick={close}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** Shown this once: closing it is saying that it is kept elsewhere. */
function NewText({ text, onClose }: { text: string; onClose: () => void }) {
  const [isCopied, setCopied] = useState(false);
  const copy = useAction(async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  });
  return (
    <div className="gbh-form" role="status">
      <p>Copy the key now. It is not shown again.</p>
      <p className="gbh-mono gbh-secret">{text}</p>
      {copy.error !== undefined && <ErrorNote>Your browser did not allow it. Copy the key by hand.</ErrorNote>}
      <div className="gbh-row-actions">
        <Button tone="plain" onClick={() => void copy.run()}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
        <Button tone="quiet" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </div>
  );
}
