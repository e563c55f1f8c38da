import { type AuditClient, endsSoon, type PreviewedCall } from '@gatebook/js/admin';
import { type ApiKey, type ApiKeyOwner, type ApiKeysClient, whyKeyInvalid } from '@gatebook/js/core';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useMoment } from '../lib/moment.ts';
import { useNow } from '../lib/use-now.ts';
import { AppLink } from './app-link.tsx';
import { HistoryButton } from './audit/history-button.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Expiry } from './expiry.tsx';
import { KeyStatus } from './key-status.tsx';
import { lateDialog } from './late-dialog.tsx';
import { RelativeTime } from './relative-time.tsx';
import { Row, Rows } from './rows.tsx';
import { Card } from './states.tsx';
import { Writing } from './writing.tsx';

const CreateApiKeyDialog = lateDialog(async () => (await import('./create-api-key-dialog.tsx')).CreateApiKeyDialog);

const RotateApiKeyDialog = lateDialog(
  async () => (await import('./rotate-api-key-dialog.tsx')).RotateApiKeyDialog,
  ({ rotated }) => rotated !== null,
);

type Props = {
  apiKeys: ApiKeysClient;
  audit: AuditClient;
  owner: ApiKeyOwner;
  projectId: string;
  /** Whether the project allows keys for this type of owner. */
  isAllowed: boolean;
};

/** API keys of a user or a team, for the project's own servers. */
export function ApiKeysCard({ isAllowed, ...keys }: Props) {
  if (isAllowed) return <AllowedKeys {...keys} />;
  const { owner, projectId } = keys;
  return (
    <Card title={t`API keys`} labelId="api-keys-title">
      <Text size="sm" c="dimmed">
        <Trans>
          {owner.type === 'user' ? t`User` : t`Team`} API keys are turned off for this project. Turn them on in{' '}
          <AppLink href={`/projects/${projectId}/settings/general#user-switches-title`}>Settings</AppLink>.
        </Trans>
      </Text>
    </Card>
  );
}

function AllowedKeys({ apiKeys, audit, owner, projectId }: Omit<Props, 'isAllowed'>) {
  const list = useResource(['api-keys', projectId, owner.type, owner.id], () => apiKeys.list(owner));
  const isPast = useMoment().value !== null;
  // The log does not contain uses, so nothing is known of those of the past.
  const uses = useResource(['api-keys', projectId, owner.type, owner.id, 'uses', isPast], async () =>
    isPast ? undefined : apiKeys.listUses(owner),
  );
  const [isCreating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<ApiKey | null>(null);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  return (
    <Card
      title={t`API keys`}
      labelId="api-keys-title"
      flush
      actions={
        <Writing needs="developer">
          <Button size="compact-sm" variant="default" onClick={() => setCreating(true)}>
            <Trans>Create API key</Trans>
          </Button>
        </Writing>
      }
    >
      <Rows list={list} label={t`Loading API keys`} empty={t`No API keys`}>
        {(key) => (
          <KeyRow
            key={key.id}
            apiKey={key}
            lastUsedAt={uses.value && (uses.value.get(key.id) ?? null)}
            history={
              <HistoryButton
                audit={audit}
                projectId={projectId}
                name={nameOf(key)}
                filters={{ targetType: 'api_key', targetId: key.id }}
              />
            }
            onRotate={() => setRotating(key)}
            onRevoke={() => setRevoking(key)}
          />
        )}
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
      <RotateApiKeyDialog
        rotated={rotating}
        owner={owner}
        onClose={() => setRotating(null)}
        rotate={async (keyId, input) => {
          const text = await apiKeys.rotate(owner, keyId, input);
          await list.refresh();
          return text;
        }}
      />
      <ConfirmDialog
        isOpen={revoking !== null}
        onClose={() => setRevoking(null)}
        title={t`Revoke this API key?`}
        confirmLabel={t`Revoke API key`}
        call={revoking ? revocationOf(owner, revoking.id) : undefined}
        onConfirm={async () => {
          if (revoking) await apiKeys.revoke(owner, revoking.id);
          await list.refresh();
        }}
      >
        <Trans>Requests that use “{nameOf(revoking)}” are rejected immediately. This cannot be undone.</Trans>
      </ConfirmDialog>
    </Card>
  );
}

const revocationOf = ({ type, id }: ApiKeyOwner, keyId: string): PreviewedCall => ({
  method: 'PATCH',
  path: `/${type}-api-keys/${keyId}?${type}_id=${id}`,
  body: { revoked: true },
});

const nameOf = (key: ApiKey | null) => key?.description || t`Unnamed key`;

/** `lastUsedAt`: null if the key was never used, undefined if that is not known. */
type KeyRowProps = {
  apiKey: ApiKey;
  lastUsedAt: Date | null | undefined;
  history: ReactNode;
  onRotate: () => void;
  onRevoke: () => void;
};

function KeyRow({ apiKey, lastUsedAt, history, onRotate, onRevoke }: KeyRowProps) {
  const now = useNow();
  const invalidReason = whyKeyInvalid(apiKey, now);
  const { createdAt, expiresAt, manuallyRevokedAt, isPublic, lastFour } = apiKey;
  const name = nameOf(apiKey);
  return (
    <Row
      small={
        <>
          <code>
            {isPublic ? 'pk' : 'sk'}_…{lastFour}
          </code>
          {' · '}
          <Trans>
            created <RelativeTime at={createdAt} />
          </Trans>
          {manuallyRevokedAt ? (
            <>
              {' · '}
              <Trans>
                revoked <RelativeTime at={manuallyRevokedAt} />
              </Trans>
            </>
          ) : (
            expiresAt && (
              <>
                {' · '}
                <Expiry at={expiresAt} />
              </>
            )
          )}
          {lastUsedAt && (
            <>
              {' · '}
              <Trans>
                last used <RelativeTime at={lastUsedAt} />
              </Trans>
            </>
          )}
          {lastUsedAt === null && ` · ${t`never used`}`}
        </>
      }
      details={history}
      actions={
        <>
          <KeyStatus
            invalidReason={invalidReason}
            endsSoon={expiresAt !== null && endsSoon({ expiresAt, manuallyRevokedAt }, now)}
          />
          {manuallyRevokedAt === null && (
            <>
              <Writing needs="developer">
                <Button size="compact-sm" variant="subtle" onClick={onRotate} aria-label={t`Rotate ${name}`}>
                  <Trans>Rotate</Trans>
                </Button>
              </Writing>
              <Button size="compact-sm" variant="subtle" color="red" onClick={onRevoke} aria-label={t`Revoke ${name}`}>
                <Trans>Revoke</Trans>
              </Button>
            </>
          )}
        </>
      }
    >
      {name}{' '}
      {isPublic && (
        <Badge size="xs" variant="light">
          <Trans>Public</Trans>
        </Badge>
      )}
    </Row>
  );
}
