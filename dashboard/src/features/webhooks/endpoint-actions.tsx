import type { WebhookEndpoint } from '@gatebook/js/admin';
import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useNavigation } from '../../lib/navigation.ts';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { TestDialog } from './test-dialog.tsx';
import { webhooksHref } from './texts.ts';
import type { WebhooksAccess } from './webhooks-access.ts';

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
        Send test
      </Button>
      <Button variant="default" onClick={() => setAsked('edit')}>
        Edit endpoint
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions">
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setAsked('disable')}>
            {endpoint.isEnabled ? 'Disable endpoint' : 'Enable endpoint'}
          </Menu.Item>
          <Menu.Item color="red" onClick={() => setAsked('delete')}>
            Delete endpoint
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
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
        title={endpoint.isEnabled ? 'Disable this endpoint?' : 'Enable this endpoint?'}
        confirmLabel={endpoint.isEnabled ? 'Disable endpoint' : 'Enable endpoint'}
        {...(!endpoint.isEnabled && { color: 'verdigris' })}
        call={{ method: 'PATCH', path, body: { is_enabled: !endpoint.isEnabled } }}
        onConfirm={() => setEnabled(!endpoint.isEnabled)}
      >
        {endpoint.isEnabled
          ? 'Nothing is sent until you enable it again. Events are not lost: deliveries continue where they stopped.'
          : 'Deliveries continue where they stopped. Events of the meantime are sent now.'}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'delete'}
        onClose={close}
        title="Delete this endpoint?"
        confirmLabel="Delete endpoint"
        call={{ method: 'DELETE', path }}
        onConfirm={async () => {
          await webhooks.delete(endpoint.id);
          go(webhooksHref(projectId), { replace: true });
        }}
      >
        Nothing more is sent to {endpoint.url}. Its deliveries and its secret are deleted.
      </ConfirmDialog>
    </>
  );
}
