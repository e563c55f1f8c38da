import { type ProjectKey, whyInvalid } from '@gatebook/js/admin';
import { Button } from '@mantine/core';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { useNow } from '../../lib/use-now.ts';
import { keyKinds } from './key-kinds.ts';
import classes from './key-list.module.css';

export function KeyList({ keys, onRevoke }: { keys: readonly ProjectKey[]; onRevoke: (key: ProjectKey) => void }) {
  return (
    <ul className={classes.list}>
      {keys.map((key) => (
        <KeyRow key={key.id} projectKey={key} onRevoke={() => onRevoke(key)} />
      ))}
    </ul>
  );
}

function KeyRow({ projectKey, onRevoke }: { projectKey: ProjectKey; onRevoke: () => void }) {
  const invalidReason = whyInvalid(projectKey, useNow());
  const name = projectKey.description || 'Unnamed key';
  return (
    <li className={classes.row}>
      <div className={classes.head}>
        <h2 className={classes.name}>{name}</h2>
        <KeyStatus invalidReason={invalidReason} />
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
        {projectKey.manuallyRevokedAt === null && (
          <Button size="xs" variant="default" onClick={onRevoke} aria-label={`Revoke ${name}`}>
            Revoke
          </Button>
        )}
      </div>
    </li>
  );
}

function KeyStatus({ invalidReason }: { invalidReason: ReturnType<typeof whyInvalid> }) {
  if (invalidReason === 'expired') return <StatusDot tone="off">Expired</StatusDot>;
  if (invalidReason === 'manually-revoked') return <StatusDot tone="bad">Revoked</StatusDot>;
  return <StatusDot tone="good">Active</StatusDot>;
}
