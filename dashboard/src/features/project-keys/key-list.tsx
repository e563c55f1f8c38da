import { type AuditClient, endsSoon, type ProjectKey, whyInvalid } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { HistoryButton } from '../../components/audit/history-button.tsx';
import { Expiry } from '../../components/expiry.tsx';
import { KeyStatus } from '../../components/key-status.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Writing } from '../../components/writing.tsx';
import { useNow } from '../../lib/use-now.ts';
import { keyKinds } from './key-kinds.ts';
import classes from './key-list.module.css';

type Props = {
  keys: readonly ProjectKey[];
  audit: AuditClient;
  projectId: string;
  onRotate: (key: ProjectKey) => void;
  onRevoke: (key: ProjectKey) => void;
};

export function KeyList({ keys, audit, projectId, onRotate, onRevoke }: Props) {
  return (
    <ul className={classes.list}>
      {keys.map((key) => (
        <KeyRow
          key={key.id}
          projectKey={key}
          history={
            <HistoryButton
              audit={audit}
              projectId={projectId}
              name={nameOf(key)}
              filters={{ targetType: 'project_key', targetId: key.id }}
            />
          }
          onRotate={() => onRotate(key)}
          onRevoke={() => onRevoke(key)}
        />
      ))}
    </ul>
  );
}

const nameOf = ({ description }: ProjectKey) => description || t`Unnamed key`;

type KeyRowProps = { projectKey: ProjectKey; history: ReactNode; onRotate: () => void; onRevoke: () => void };

function KeyRow({ projectKey, history, onRotate, onRevoke }: KeyRowProps) {
  const now = useNow();
  const invalidReason = whyInvalid(projectKey, now);
  const name = nameOf(projectKey);
  return (
    <li className={classes.row}>
      <div className={classes.head}>
        <h2 className={classes.name}>{name}</h2>
        <KeyStatus invalidReason={invalidReason} endsSoon={endsSoon(projectKey, now)} />
      </div>
      <ul className={classes.parts}>
        {keyKinds.flatMap(({ kind, name: kindName, prefix }) => {
          const lastFour = projectKey.lastFour[kind];
          if (lastFour === null) return [];
          return (
            <li key={kind}>
              {kindName} <code>{`${prefix}…${lastFour}`}</code>
            </li>
          );
        })}
      </ul>
      <div className={classes.foot}>
        <span>
          <Trans>
            created <RelativeTime at={projectKey.createdAt} />
          </Trans>
        </span>
        {projectKey.manuallyRevokedAt ? (
          <span>
            <Trans>
              revoked <RelativeTime at={projectKey.manuallyRevokedAt} />
            </Trans>
          </span>
        ) : (
          <span>
            <Expiry at={projectKey.expiresAt} />
          </span>
        )}
        <span>
          {projectKey.lastUsedAt ? (
            <Trans>
              last used <RelativeTime at={projectKey.lastUsedAt} />
            </Trans>
          ) : (
            t`never used`
          )}
        </span>
        <div className={classes.actions}>
          {history}
          {projectKey.manuallyRevokedAt === null && (
            <Writing>
              <Button size="compact-sm" variant="subtle" onClick={onRotate} aria-label={t`Rotate ${name}`}>
                <Trans>Rotate</Trans>
              </Button>
              <Button size="compact-sm" variant="subtle" color="red" onClick={onRevoke} aria-label={t`Revoke ${name}`}>
                <Trans>Revoke</Trans>
              </Button>
            </Writing>
          )}
        </div>
      </div>
    </li>
  );
}
