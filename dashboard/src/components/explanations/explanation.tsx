import type { PermissionExplanation, PermissionPath, PermissionStep } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { formatZonedTime } from '../../lib/format.ts';
import { AppLink } from '../app-link.tsx';
import { describeActor } from '../audit/audit-pages.ts';
import { auditHref } from '../audit/audit-search.ts';
import { Writing } from '../writing.tsx';
import classes from './explanations.module.css';

type Grant = (permissionId: string) => void;
type ExplanationProps = { explanation: PermissionExplanation; projectId: string; onGrant?: Grant };

export function Explanation({ explanation, projectId, onGrant }: ExplanationProps) {
  const { isGranted, paths, nearestMiss, wouldGrant, permissionId } = explanation;
  return (
    <Stack gap="md">
      <Text size="sm">
        {isGranted ? (
          <Trans>
            The user has <code>{permissionId}</code>.
          </Trans>
        ) : (
          <Trans>
            The user does not have <code>{permissionId}</code>.
          </Trans>
        )}
      </Text>
      {paths.map((path, index) => (
        <Path
          key={path.steps.map(nameOf).join()}
          path={path}
          projectId={projectId}
          title={paths.length > 1 ? t`Way ${index + 1}` : undefined}
        />
      ))}
      {nearestMiss && <Path path={nearestMiss} projectId={projectId} title={t`What is missing`} />}
      {!isGranted && wouldGrant.length > 0 && <Sufficient grants={wouldGrant} onGrant={onGrant} />}
    </Stack>
  );
}

type SufficientProps = { grants: readonly string[]; onGrant: Grant | undefined };

function Sufficient({ grants, onGrant }: SufficientProps) {
  return (
    <Group gap="xs">
      <Text size="sm">
        <Trans>One of these grants would be enough:</Trans>
      </Text>
      {onGrant ? (
        <Writing needs="developer">
          <Group gap="xs">
            {grants.map((id) => (
              <Button key={id} size="compact-sm" variant="default" onClick={() => onGrant(id)}>
                {t`Grant ${id}`}
              </Button>
            ))}
          </Group>
        </Writing>
      ) : (
        grants.map((id) => <code key={id}>{id}</code>)
      )}
    </Group>
  );
}

const nameOf = ({ kind, permissionId, containedPermissionId }: PermissionStep) =>
  `${kind} ${permissionId} ${containedPermissionId}`;

function Path({ path, projectId, title }: { path: PermissionPath; projectId: string; title: string | undefined }) {
  return (
    <div>
      {title && <h3 className={classes.title}>{title}</h3>}
      <ol className={classes.steps}>
        {path.steps.map((step) => (
          <Step key={nameOf(step)} step={step} projectId={projectId} />
        ))}
      </ol>
    </div>
  );
}

function Step({ step, projectId }: { step: PermissionStep; projectId: string }) {
  const cause = step.untilEvent ?? step.sinceEvent;
  return (
    <li data-holds={step.holds}>
      {step.holds ? <IconCheck size={16} aria-label={t`Holds`} /> : <IconX size={16} aria-label={t`Does not hold`} />}
      <div>
        {sentenceOf(step)}
        {cause && (
          <small>
            <Trans>
              {step.untilEvent ? t`until ` : t`since `}
              <AppLink href={auditHref(projectId, { event: cause.id, until: String(cause.at.getTime() + 1) })}>
                {formatZonedTime(cause.at)}
              </AppLink>
              , by {describeActor({ ...cause.actor, isErased: false })}
            </Trans>
          </small>
        )}
      </div>
    </li>
  );
}

function sentenceOf({ kind, permissionId, containedPermissionId }: PermissionStep) {
  switch (kind) {
    case 'membership':
      return t`Member of the team`;
    case 'grant':
      return (
        <Trans>
          Granted <code>{permissionId}</code>
        </Trans>
      );
    case 'default_grant':
      return (
        <Trans>
          Granted <code>{permissionId}</code> by default
        </Trans>
      );
    case 'containment':
      return (
        <Trans>
          <code>{permissionId}</code> contains <code>{containedPermissionId}</code>
        </Trans>
      );
    case 'definition':
      return (
        <Trans>
          <code>{permissionId}</code> is defined
        </Trans>
      );
  }
}
