import type { Project } from '@gatebook/js/admin';
import type { ContactChannel, ContactChannelsClient } from '@gatebook/js/core';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Badge, Button } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { LateMenu } from '../../components/late-menu.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card, ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { appPageUrl } from './app-pages.ts';

const AddChannelDialog = lateDialog(async () => (await import('./add-channel-dialog.tsx')).AddChannelDialog);
const SendLinkDialog = lateDialog(async () => (await import('./send-link-dialog.tsx')).SendLinkDialog);

type Props = {
  channels: ContactChannelsClient;
  projectId: string;
  userId: string;
  project: Project | undefined;
  /** Lets the page reload the profile, which shows email addresses too. */
  onChanged: () => Promise<void>;
};

/** Key and fetch of the addresses. */
export const channelsOf = ({ channels, projectId, userId }: Pick<Props, 'channels' | 'projectId' | 'userId'>) =>
  [['channels', projectId, userId], () => channels.list(userId)] as const;

/** The user's email addresses and their state: primary, verified, used for sign-in. */
export function UserChannels({ channels, projectId, userId, project, onChanged }: Props) {
  const list = useResource(...channelsOf({ channels, projectId, userId }));
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<ContactChannel | null>(null);
  const [verifying, setVerifying] = useState<ContactChannel | null>(null);
  const reload = async (): Promise<void> => {
    await Promise.all([list.refresh(), onChanged()]);
  };
  const change = useAction(async (channel: ContactChannel, changes: Parameters<typeof channels.update>[1]) => {
    await channels.update(channel, changes);
    await reload();
  });
  return (
    <Card
      title={t`Email addresses`}
      labelId="channels-title"
      flush
      actions={
        <Writing needs="developer">
          <Button size="compact-sm" variant="default" onClick={() => setAdding(true)}>
            <Trans>Add email</Trans>
          </Button>
        </Writing>
      }
    >
      {change.error !== undefined && <ErrorNote error={change.error} />}
      <Rows list={list} label={t`Loading email addresses`} empty={t`No email addresses`}>
        {(channel) => (
          <Row
            key={channel.id}
            actions={
              <ChannelMenu
                channel={channel}
                isBusy={change.isRunning}
                change={(changes) => void change.run(channel, changes)}
                onVerify={() => setVerifying(channel)}
                onRemove={() => setRemoving(channel)}
              />
            }
          >
            {channel.value || t`Erased`} <ChannelBadges channel={channel} />
          </Row>
        )}
      </Rows>
      <AddChannelDialog
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        add={async (input) => {
          await channels.create(userId, input);
          await reload();
        }}
      />
      <SendLinkDialog
        isOpen={verifying !== null}
        onClose={() => setVerifying(null)}
        title={t`Send verification email`}
        email={verifying?.value ?? null}
        callbackUrl={appPageUrl(project, 'email-verification')}
        projectId={projectId}
        send={async (_, callbackUrl) => {
          if (verifying) await channels.sendVerification(verifying, callbackUrl);
        }}
      />
      <ConfirmDialog
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        title={t`Remove this email?`}
        confirmLabel={t`Remove email`}
        call={removing ? { method: 'DELETE', path: `/contact-channels/${userId}/${removing.id}` } : undefined}
        onConfirm={async () => {
          if (removing) await channels.delete(removing);
          await reload();
        }}
      >
        <Trans>
          {removing?.value} is removed from this user{removing?.usedForAuth && t` and can no longer be used to sign in`}
          .
        </Trans>
      </ConfirmDialog>
    </Card>
  );
}

function ChannelBadges({ channel }: { channel: ContactChannel }) {
  const labels = [
    channel.isPrimary && t`Primary`,
    channel.isVerified ? t`Verified` : t`Not verified`,
    channel.usedForAuth && t`Used for sign-in`,
  ].filter((label) => label !== false);
  return labels.map((label) => (
    <Badge key={label} size="xs" me={4} variant={label === 'Not verified' ? 'default' : 'light'}>
      {label}
    </Badge>
  ));
}

type ChannelMenuProps = {
  channel: ContactChannel;
  isBusy: boolean;
  change: (changes: { isPrimary?: boolean; isVerified?: boolean; usedForAuth?: boolean }) => void;
  onVerify: () => void;
  onRemove: () => void;
};

function ChannelMenu({ channel, isBusy, change, onVerify, onRemove }: ChannelMenuProps) {
  const { isPrimary, isVerified, usedForAuth } = channel;
  return (
    <LateMenu
      position="bottom-end"
      withinPortal
      button={
        <ActionIcon variant="subtle" color="gray" disabled={isBusy} aria-label={t`Change ${channel.value}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      }
    >
      {(Menu) => (
        <>
          {!isPrimary && (
            <Menu.Item onClick={() => change({ isPrimary: true })}>
              <Trans>Make primary</Trans>
            </Menu.Item>
          )}
          {!isVerified && (
            <Menu.Item onClick={onVerify}>
              <Trans>Send verification email</Trans>
            </Menu.Item>
          )}
          <Menu.Item onClick={() => change({ isVerified: !isVerified })}>
            {isVerified ? t`Mark as not verified` : t`Mark as verified`}
          </Menu.Item>
          <Menu.Item onClick={() => change({ usedForAuth: !usedForAuth })}>
            {usedForAuth ? t`Stop using for sign-in` : t`Use for sign-in`}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" onClick={onRemove}>
            <Trans>Remove email</Trans>
          </Menu.Item>
        </>
      )}
    </LateMenu>
  );
}
