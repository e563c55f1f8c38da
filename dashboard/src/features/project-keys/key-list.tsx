import { type AuditClient, endsSoon, type ProjectKey, whyInvalid } from '@gatebook/js/admin';
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { HistoryButton } from '../../components/audit/history-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
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

const nameOf = ({ description }: ProjectKey) => description || 'Unnamed key';

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
          created <RelativeTime at={projectKey.createdAt} />
        </span>
        {projectKey.manuallyRevokedAt ? (
          <span>
            revoked <RelativeTime at={projectKey.manuallyRevokedAt} />
          </span>
        ) : (
          <span>
            {invalidReason === 'expired' ? 'expired' : 'expires'} <RelativeTime at={projectKey.expiresAt} />
          </span>
        )}
        <span>
          {projectKey.lastUsedAt ? (
            <>
              last used <RelativeTime at={projectKey.lastUsedAt} />
            </>
          ) : (
            'never used'
          )}
        </span>
        <div className={classes.actions}>
          {history}
          {projectKey.manuallyRevokedAt === null && (
            <Writing>
              <Button size="xs" variant="default" onClick={onRotate} aria-label={`Rotate ${name}`}>
                Rotate
              </Button>
              <Button size="xs" variant="default" onClick={onRevoke} aria-label={`Revoke ${name}`}>
                Revoke
              </Button>
            </Writing>
          )}
        </div>
      </div>
    </li>
  );
}

type StatusProps = { invalidReason: ReturnType<typeof whyInvalid>; endsSoon: boolean };

function KeyStatus({ invalidReason, endsSoon: isEnding }: StatusProps) {
  if (invalidReason === 'expired') return <StatusDot tone="off">Expired</StatusDot>;
  if (invalidReason === 'manually-revoked') return <StatusDot tone="bad">Revoked</StatusDot>;
  if (isEnding) return <StatusDot tone="busy">Expires soon</StatusDot>;
  return <StatusDot tone="good">Active</StatusDot>;
}
