import { type ApiKey, type ApiKeyOwner, type ApiKeysClient, whyKeyInvalid } from '@gatebook/js/core';
import { useResource } from '@gatebook/react';
import { Badge, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useNow } from '../lib/use-now.ts';
import { AppLink } from './app-link.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { CreateApiKeyDialog } from './create-api-key-dialog.tsx';
import { RelativeTime } from './relative-time.tsx';
import { Row, Rows } from './rows.tsx';
import { Card } from './states.tsx';
import { StatusDot } from './status-dot.tsx';

type Props = {
  apiKeys: ApiKeysClient;
  owner: ApiKeyOwner;
  projectId: string;
  /** Whether the project allows keys for this type of owner. */
  isAllowed: boolean;
};

/** API keys of a user or a team, for the project's own servers. */
export function ApiKeysCard({ apiKeys, owner, projectId, isAllowed }: Props) {
  if (isAllowed) return <AllowedKeys apiKeys={apiKeys} owner={owner} projectId={projectId} />;
  return (
    <Card title="API keys" labelId="api-keys-title">
      <Text size="sm" c="dimmed">
        {owner.type === 'user' ? 'User' : 'Team'} API keys are turned off for this project. Turn them on in{' '}
        <AppLink href={`/projects/${projectId}/settings`}>Settings</AppLink>.
      </Text>
    </Card>
  );
}

function AllowedKeys({ apiKeys, owner, projectId }: Omit<Props, 'isAllowed'>) {
  const list = useResource(['api-keys', projectId, owner.type, owner.id], () => apiKeys.list(owner));
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  return (
    <Card
      title="API keys"
      labelId="api-keys-title"
      flush
      actions={
        <Button size="compact-sm" variant="default" onClick={() => setCreating(true)}>
          Create API key
        </Button>
      }
    >
      <Rows list={list} label="Loading API keys" empty="No API keys">
        {(key) => <KeyRow key={key.id} apiKey={key} onRevoke={() => setRevoking(key)} />}
      </Rows>
      <CreateApiKeyDialog
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        create={async (input) => {
          const text = await apiKeys.create(owner, input);
          await list.refresh();
          return text;
        }}
      />
      <ConfirmDialog
        isOpen={revoking !== null}
        onClose={() => setRevoking(null)}
        title="Revoke this API key?"
        confirmLabel="Revoke API key"
        onConfirm={async () => {
          if (revoking) await apiKeys.revoke(owner, revoking.id);
          await list.refresh();
        }}
      >
        Requests that use “{nameOf(revoking)}” are rejected immediately. This cannot be undone.
      </ConfirmDialog>
    </Card>
  );
}

const nameOf = (key: ApiKey | null) => key?.description || 'Unnamed key';

function KeyRow({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) {
  const invalidReason = whyKeyInvalid(apiKey, useNow());
  const { createdAt, expiresAt, manuallyRevokedAt, isPublic, lastFour } = apiKey;
  return (
    <Row
      small={
        <>
          <code>
            {isPublic ? 'pk' : 'sk'}_…{lastFour}
          </code>{' '}
          · created <RelativeTime at={createdAt} />
          {manuallyRevokedAt && (
            <>
              {' '}
              · revoked <RelativeTime at={manuallyRevokedAt} />
            </>
          )}
          {!manuallyRevokedAt && expiresAt && (
            <>
              {' '}
              · {invalidReason === 'expired' ? 'expired' : 'expires'} <RelativeTime at={expiresAt} />
            </>
          )}
        </>
      }
      actions={
        <>
          {invalidReason === null && <StatusDot tone="good">Active</StatusDot>}
          {invalidReason === 'expired' && <StatusDot tone="off">Expired</StatusDot>}
          {invalidReason === 'manually-revoked' && <StatusDot tone="bad">Revoked</StatusDot>}
          {manuallyRevokedAt === null && (
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              onClick={onRevoke}
              aria-label={`Revoke ${nameOf(apiKey)}`}
            >
              Revoke
            </Button>
          )}
        </>
      }
    >
      {nameOf(apiKey)}{' '}
      {isPublic && (
        <Badge size="xs" variant="light">
          Public
        </Badge>
      )}
    </Row>
  );
}
