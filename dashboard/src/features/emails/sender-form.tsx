import type { EmailConfig, MailServer } from '@gatebook/js/admin';
import { emailFault, requiredFault } from '@gatebook/js/core';
import { useAction } from '@gatebook/react';
import { Button, Group, NativeSelect, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type KeyboardEvent, useState } from 'react';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import classes from './emails.module.css';

type Values = Omit<MailServer, 'port'> & { type: 'shared' | 'standard'; port: string };
type Props = {
  config: EmailConfig;
  save: (config: EmailConfig) => Promise<void>;
  /** @returns why the server rejected the email; null when it accepted it */
  sendTest: (recipient: string, server: MailServer) => Promise<string | null>;
};

const emptyServer = { host: '', port: '587', username: '', password: '', senderName: '', senderEmail: '' };
const valuesOf = (config: EmailConfig): Values =>
  config.type === 'shared' ? { type: 'shared', ...emptyServer } : { ...config, port: String(config.port) };
const serverOf = ({ type: _, port, ...rest }: Values): MailServer => ({ ...rest, port: Number(port) });
const validatePort = (port: string) =>
  /^\d{1,5}$/.test(port) && Number(port) <= 65_535 ? null : 'Enter a port number';

/** The SMTP server that sends the project's emails: Gatebook's shared server or the project's own. */
export function SenderForm({ config, save, sendTest }: Props) {
  const [isSaved, setSaved] = useState(false);
  const ifStandard = (validate: (text: string) => string | null) => (text: string, values: Values) =>
    values.type === 'shared' ? null : validate(text);
  const form = useForm<Values>({
    initialValues: valuesOf(config),
    validate: {
      host: ifStandard(requiredFault('a hostname')),
      port: ifStandard(validatePort),
      username: ifStandard(requiredFault('a username')),
      password: ifStandard(requiredFault('a password')),
      senderName: ifStandard(requiredFault('a sender name')),
      senderEmail: ifStandard(emailFault),
    },
  });
  const action = useAction(async (values: Values) => {
    await save(values.type === 'shared' ? { type: 'shared' } : { type: 'standard', ...serverOf(values) });
    form.resetDirty(values);
    setSaved(true);
  });
  const { values } = form;
  return (
    <Writing>
      <form onSubmit={form.onSubmit((submitted) => void action.run(submitted))}>
        <Stack gap="md" maw="36rem">
          <NativeSelect
            label="Sender"
            data={[
              { value: 'shared', label: 'Shared SMTP server' },
              { value: 'standard', label: 'Your own SMTP server' },
            ]}
            {...form.getInputProps('type')}
          />
          {values.type === 'shared' ? (
            <Text size="sm" c="dimmed">
              Emails show your project’s name and the shared server’s address. With your own SMTP server, they come from
              your address and you can edit the templates.
            </Text>
          ) : (
            <>
              <div className={classes.pair}>
                <TextInput label="SMTP host" placeholder="smtp.example.com" {...form.getInputProps('host')} />
                <TextInput label="Port" inputMode="numeric" {...form.getInputProps('port')} />
              </div>
              <div className={classes.halves}>
                <TextInput label="Username" autoComplete="off" {...form.getInputProps('username')} />
                <PasswordInput label="Password" autoComplete="new-password" {...form.getInputProps('password')} />
                <TextInput label="Sender name" placeholder="Acme Shop" {...form.getInputProps('senderName')} />
                <TextInput
                  label="Sender email"
                  placeholder="hello@example.com"
                  {...form.getInputProps('senderEmail')}
                />
              </div>
              <TestEmail
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
    </Writing>
  );
}

type Test = { isReady: () => boolean; send: (recipient: string) => Promise<string | null> };

/** Sends a test email with the settings in the form, saved or not. */
function TestEmail({ isReady, send }: Test) {
  const [recipient, setRecipient] = useState('');
  const [outcome, setOutcome] = useState<{ reason: string | null } | null>(null);
  const action = useAction(async () => setOutcome({ reason: await send(recipient.trim()) }));
  const isValid = emailFault(recipient) === null;
  const run = () => {
    setOutcome(null);
    if (isReady()) void action.run();
  };
  // Otherwise Enter would submit the surrounding form and save the settings.
  const runOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (isValid && !action.isRunning) run();
  };
  return (
    <Stack gap="xs">
      <div className={classes.pair}>
        <TextInput
          label="Send a test email to"
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
          disabled={!isValid}
          onClick={run}
        >
          Send test email
        </Button>
      </div>
      {action.error !== undefined && <ErrorNote error={action.error} />}
      {outcome?.reason && <ErrorNote title="The test email was not sent" error={new Error(outcome.reason)} />}
      <Text size="sm" c="dimmed" role="status">
        {outcome?.reason === null ? 'The SMTP server accepted the test email.' : ''}
      </Text>
    </Stack>
  );
}
