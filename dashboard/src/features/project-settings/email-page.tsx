import { callOfProjectUpdate, type EmailConfig, type EmailsClient, type MailServer } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { DraftText } from '../../components/drafts/draft-fields.tsx';
import { SaveBar } from '../../components/drafts/save-bar.tsx';
import { type Fields, useDraft } from '../../components/drafts/use-draft.ts';
import { Card, ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { emailFault } from '../../lib/library-texts.ts';
import { required } from '../../lib/required.ts';
import classes from './project-settings.module.css';
import { SettingsHistory, SettingsPage, type SettingsPageProps, useProjectSettings } from './settings-page.tsx';

type Values = Omit<MailServer, 'port'> & { type: 'shared' | 'standard'; port: string };

const senders = [
  { value: 'shared', label: t`Shared SMTP server` },
  { value: 'standard', label: t`Your own SMTP server` },
];
const emptyServer = { host: '', port: '587', username: '', password: '', senderName: '', senderEmail: '' };
const valuesOf = (config: EmailConfig): Values =>
  config.type === 'shared' ? { type: 'shared', ...emptyServer } : { ...config, port: String(config.port) };
const serverOf = ({ type: _, port, ...rest }: Values): MailServer => ({ ...rest, port: Number(port) });
const configOf = (values: Values): EmailConfig =>
  values.type === 'shared' ? { type: 'shared' } : { type: 'standard', ...serverOf(values) };

const portFault = (port: string) => (/^\d{1,5}$/.test(port) && Number(port) <= 65_535 ? null : t`Enter a port number`);
/** Belongs to the project’s own server. */
const ifStandard = (findFault: (text: string) => string | null) => ({
  isUsed: ({ type }: Values) => type === 'standard',
  fault: (text: string, { type }: Values) => (type === 'standard' ? findFault(text) : null),
});
const fields: Fields<Values> = {
  type: { label: t`Sender`, text: (type) => senders.find(({ value }) => value === type)?.label ?? type },
  host: { label: t`SMTP host`, ...ifStandard(required(t`Enter a hostname`)) },
  port: { label: t`Port`, ...ifStandard(portFault) },
  username: { label: t`Username`, ...ifStandard(required(t`Enter a username`)) },
  password: {
    label: t`Password`,
    text: (password) => (password === '' ? t`empty` : t`hidden`),
    ...ifStandard(required(t`Enter a password`)),
  },
  senderName: { label: t`Sender name`, ...ifStandard(required(t`Enter a sender name`)) },
  senderEmail: { label: t`Sender email`, ...ifStandard(emailFault) },
};

export function EmailPage(props: SettingsPageProps) {
  const { update } = useProjectSettings(props);
  return (
    <SettingsPage {...props} path="/settings/email" lead={t`The server and the address that emails are sent from.`}>
      {({ config }) => (
        <Sender {...props} config={config.emailConfig} save={(emailConfig) => update({ config: { emailConfig } })} />
      )}
    </SettingsPage>
  );
}

type SenderProps = SettingsPageProps & { config: EmailConfig; save: (config: EmailConfig) => Promise<void> };

function Sender({ audit, projectId, emails, config, save }: SenderProps) {
  const draft = useDraft<Values>(valuesOf(config), fields);
  const { values } = draft;
  const emailConfig = configOf(values);
  return (
    <Writing>
      <Card
        title={t`Outgoing email`}
        labelId="sender-title"
        details={<SettingsHistory audit={audit} projectId={projectId} of="ProjectConfigChanged" />}
      >
        <Stack gap="md" maw="36rem">
          <NativeSelect
            label={fields.type.label}
            data={senders}
            value={values.type}
            onChange={(event) => draft.set('type', event.currentTarget.value as Values['type'])}
          />
          {values.type === 'shared' ? (
            <Text size="sm" c="dimmed">
              <Trans>
                Emails show your project’s name and the shared server’s address. With your own SMTP server, they come
                from your address.
              </Trans>
            </Text>
          ) : (
            <>
              <div className={classes.pair}>
                <DraftText draft={draft} name="host" placeholder="smtp.example.com" />
                <DraftText draft={draft} name="port" inputMode="numeric" />
              </div>
              <div className={classes.halves}>
                <DraftText draft={draft} name="username" autoComplete="off" />
                <DraftText draft={draft} name="password" kind="password" autoComplete="new-password" />
                <DraftText draft={draft} name="senderName" placeholder={t`Acme Shop`} />
                <DraftText draft={draft} name="senderEmail" placeholder="hello@example.com" />
              </div>
              <TestEmail emails={emails} isReady={draft.check} server={serverOf(values)} />
            </>
          )}
          <Text size="sm" c="dimmed">
            <Trans>
              Templates and sent emails are on the page <AppLink href={`/projects/${projectId}/emails`}>Emails</AppLink>
              .
            </Trans>
          </Text>
        </Stack>
      </Card>
      <SaveBar
        draft={draft}
        calls={[callOfProjectUpdate({ config: { emailConfig } })]}
        save={() => save(emailConfig)}
      />
    </Writing>
  );
}

type TestProps = { emails: Pick<EmailsClient, 'sendTest'>; isReady: () => boolean; server: MailServer };

/** Sends a test email with the settings in the form, saved or not. */
function TestEmail({ emails, isReady, server }: TestProps) {
  const [recipient, setRecipient] = useState('');
  const [outcome, setOutcome] = useState<{ reason: string | null } | null>(null);
  const action = useAction(async () => setOutcome({ reason: await emails.sendTest(recipient.trim(), server) }));
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setOutcome(null);
        if (isReady()) void action.run();
      }}
    >
      <Stack gap="xs">
        <div className={classes.pair}>
          <TextInput
            label={t`Send a test email to`}
            type="email"
            placeholder="you@example.com"
            value={recipient}
            onChange={(event) => setRecipient(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={action.isRunning} disabled={emailFault(recipient) !== null}>
            <Trans>Send test email</Trans>
          </Button>
        </div>
        {action.error !== undefined && <ErrorNote error={action.error} />}
        {outcome?.reason && <ErrorNote title={t`The test email was not sent`} error={new Error(outcome.reason)} />}
        <Text size="sm" c="dimmed" role="status">
          {outcome?.reason === null ? t`The SMTP server accepted the test email.` : ''}
        </Text>
      </Stack>
    </form>
  );
}
