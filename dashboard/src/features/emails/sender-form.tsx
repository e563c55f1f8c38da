import type { MailServer } from '@gatebook/js/emails';
import type { EmailConfig } from '@gatebook/js/projects';
import { emailFault, requiredFault } from '@gatebook/js/validation';
import { useAction } from '@gatebook/react/use-action';
import { Button, Group, NativeSelect, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type KeyboardEvent, useState } from 'react';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import classes from './emails.module.css';

type Values = Omit<MailServer, 'port'> & { type: 'shared' | 'standard'; port: string };
type Props = {
  config: EmailConfig;
  save: (config: EmailConfig) => Promise<void>;
  /** @returns why the server did not take the mail; null when it did */
  sendTest: (recipient: string, server: MailServer) => Promise<string | null>;
};

const none = { host: '', port: '587', username: '', password: '', senderName: '', senderEmail: '' };
const valuesOf = (config: EmailConfig): Values =>
  config.type === 'shared' ? { type: 'shared', ...none } : { ...config, port: String(config.port) };
const serverOf = ({ type: _, port, ...rest }: Values): MailServer => ({ ...rest, port: Number(port) });
const portFault = (port: string) => (/^\d{1,5}$/.test(port) && Number(port) <= 65_535 ? null : 'Enter a port number');

/** Through which server mails leave: Gatebook's, or one of the project's own. */
export function SenderForm({ config, save, sendTest }: Props) {
  const [isSaved, setSaved] = useState(false);
  const own = (fault: (text: string) => string | null) => (text: string, values: Values) =>
    values.type === 'shared' ? null : fault(text);
  const form = useForm<Values>({
    initialValues: valuesOf(config),
    validate: {
      host: own(requiredFault('the server’s host name')),
      port: own(portFault),
      username: own(requiredFault('a user name')),
      password: own(requiredFault('a password')),
      senderName: own(requiredFault('a name')),
      senderEmail: own(emailFault),
    },
  });
  const action = useAction(async (values: Values) => {
    await save(values.type === 'shared' ? { type: 'shared' } : { type: 'standard', ...serverOf(values) });
    form.resetDirty(values);
    setSaved(true);
  });
  const { values } = form;
  return (
    <form onSubmit={form.onSubmit((submitted) => void action.run(submitted))}>
      <Stack gap="md" maw="36rem">
        <NativeSelect
          label="Mails leave through"
          data={[
            { value: 'shared', label: 'The server of this Gatebook' },
            { value: 'standard', label: 'A server of your own' },
          ]}
          {...form.getInputProps('type')}
        />
        {values.type === 'shared' ? (
          <Text size="sm" c="dimmed">
            People see your project’s name as the sender. With a server of your own they see your address, and you may
            change the draft.
          </Text>
        ) : (
          <>
            <div className={classes.pair}>
              <TextInput label="Host" placeholder="smtp.example.com" {...form.getInputProps('host')} />
              <TextInput label="Port" inputMode="numeric" {...form.getInputProps('port')} />
            </div>
            <div className={classes.halves}>
              <TextInput label="User name" autoComplete="off" {...form.getInputProps('username')} />
              <PasswordInput label="Password" autoComplete="new-password" {...form.getInputProps('password')} />
              <TextInput label="Sender’s name" placeholder="Acme Shop" {...form.getInputProps('senderName')} />
              <TextInput
                label="Sender’s address"
                placeholder="hello@example.com"
                {...form.getInputProps('senderEmail')}
              />
            </div>
            <TestMail
              isReady={() => !form.validate().hasErrors}
              send={(recipient) => sendTest(recipient, serverOf(values))}
            />
          </>
        )}
        {action.error !== undefined && <ErrorNote error={action.error} />}
        <Group>
          <SaveButton isRunning={action.isRunning} isDirty={form.isDirty()} isSaved={isSaved} />
        </Group>
      </Stack>
    </form>
  );
}

type Test = { isReady: () => boolean; send: (recipient: string) => Promise<string | null> };

/** Tries the server as it stands in the form, saved or not. */
function TestMail({ isReady, send }: Test) {
  const [recipient, setRecipient] = useState('');
  const [outcome, setOutcome] = useState<{ reason: string | null } | null>(null);
  const action = useAction(async () => setOutcome({ reason: await send(recipient.trim()) }));
  const isWhole = emailFault(recipient) === null;
  const run = () => {
    setOutcome(null);
    if (isReady()) void action.run();
  };
  // The form around it would save the server instead.
  const runOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (isWhole && !action.isRunning) run();
  };
  return (
    <Stack gap="xs">
      <div className={classes.pair}>
        <TextInput
          label="Send a test mail to"
          type="email"
          placeholder="you@example.com"
          value={recipient}
          onChange={(event) => setRecipient(event.currentTarget.value)}
          onKeyDown={runOnEnter}
        />
        <Button
          variant="default"
          className={classes.beside}
          loading={action.isRunning}
          disabled={!isWhole}
          onClick={run}
        >
          Send test
        </Button>
      </div>
      {action.error !== undefined && <ErrorNote error={action.error} />}
      {outcome?.reason && <ErrorNote title="The mail did not leave" error={new Error(outcome.reason)} />}
      <Text size="sm" c="dimmed" role="status">
        {outcome?.reason === null ? 'The server took the mail.' : ''}
      </Text>
    </Stack>
  );
}
