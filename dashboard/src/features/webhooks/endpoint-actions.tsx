import type { WebhookEndpoint } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { LateMenu } from '../../components/late-menu.tsx';
import { useNavigation } from '../../lib/navigation.ts';
import { webhooksHref } from './texts.ts';
import type { WebhooksAccess } from './webhooks-access.ts';

const EndpointDialog = lateDialog(
  async () => (await import('./endpoint-dialog.tsx')).EndpointDialog,
  ({ edited }) => edited !== null,
);
const TestDialog = lateDialog(async () => (await import('./test-dialog.tsx')).TestDialog);

type EndpointActionsProps = WebhooksAccess & { endpoint: WebhookEndpoint; refresh: () => Promise<void> };
type Asked = 'edit' | 'test' | 'disable' | 'delete';

/** Everything that changes an endpoint. */
export function EndpointActions({ endpoint, refresh, webhooks, events, projectId }: EndpointActionsProps) {
  const { go } = useNavigation();
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = (): void => setAsked(null);
  const path = `/webhooks/endpoints/${endpoint.id}`;
  const setEnabled = async (isEnabled: boolean): Promise<void> => {
    await webhooks.update(endpoint.id, { isEnabled });
    await refresh();
  };
  return (
    <>
      <Button variant="default" onClick={() => setAsked('test')}>
        <Trans>Send test</Trans>
      </Button>
      <Button variant="default" onClick={() => setAsked('edit')}>
        <Trans>Edit endpoint</Trans>
      </Button>
      <LateMenu
        position="bottom-end"
        button={
          <ActionIcon variant="default" size={36} aria-label={t`More actions`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        }
      >
        {(Menu) => (
          <>
            <Menu.Item onClick={() => setAsked('disable')}>
              {endpoint.isEnabled ? t`Disable endpoint` : t`Enable endpoint`}
            </Menu.Item>
            <Menu.Item color="red" onClick={() => setAsked('delete')}>
              <Trans>Delete endpoint</Trans>
            </Menu.Item>
          </>
        )}
      </LateMenu>
      <TestDialog isOpen={asked === 'test'} onClose={close} webhooks={webhooks} events={events} endpoint={endpoint} />
      <EndpointDialog
        edited={asked === 'edit' ? endpoint : null}
        events={events}
        onClose={close}
        update={async (changes) => {
          await webhooks.update(endpoint.id, changes);
          await refresh();
        }}
      />
      <ConfirmDialog
        isOpen={asked === 'disable'}
        onClose={close}
        title={endpoint.isEnabled ? t`Disable this endpoint?` : t`Enable this endpoint?`}
        confirmLabel={endpoint.isEnabled ? t`Disable endpoint` : t`Enable endpoint`}
        {...(!endpoint.isEnabled && { color: 'verdigris' })}
        call={{ method: 'PATCH', path, body: { is_enabled: !endpoint.isEnabled } }}
        onConfirm={() => setEnabled(!endpoint.isEnabled)}
      >
        {endpoint.isEnabled
          ? t`Nothing is sent until you enable it again. Events are not lost: deliveries continue where they stopped.`
          : t`Deliveries continue where they stopped. Events of the meantime are sent now.`}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'delete'}
        onClose={close}
        title={t`Delete this endpoint?`}
        confirmLabel={t`Delete endpoint`}
        call={{ method: 'DELETE', path }}
        onConfirm={async () => {
          await webhooks.delete(endpoint.id);
          go(webhooksHref(projectId), { replace: true });
        }}
      >
        <Trans>Nothing more is sent to {endpoint.url}. Its deliveries and its secret are deleted.</Trans>
      </ConfirmDialog>
    </>
  );
}
