import type { ProjectOverview } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Text, Title } from '@mantine/core';
import { PlainLink } from '../../components/app-link.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { formatCount } from '../../lib/format.ts';
import classes from './projects-page.module.css';

export function ProjectTile({ project }: { project: ProjectOverview }) {
  const { id, displayName, userCount, createdAt, lastActiveAt } = project;
  return (
    <PlainLink href={`/projects/${id}`} className={classes.tile}>
      <div className={classes.tileHead}>
        <Title order={2}>{displayName || id}</Title>
        {id === 'internal' && (
          <Badge variant="default" size="sm">
            <Trans>Owners</Trans>
          </Badge>
        )}
        {project.isProductionMode && (
          <Badge variant="light" size="sm">
            <Trans>Production</Trans>
          </Badge>
        )}
      </div>
      <Text size="sm" c="dimmed" lineClamp={2} className={classes.description}>
        {project.description || t`No description`}
      </Text>
      <div className={classes.tileFoot}>
        <span>
          <Trans>
            <strong>{formatCount(userCount)}</strong> {plural(userCount, { one: 'user', other: 'users' })}
          </Trans>
        </span>
        <span>
          {lastActiveAt === null ? (
            <Trans>
              created <RelativeTime at={createdAt} />
            </Trans>
          ) : (
            <Trans>
              active <RelativeTime at={lastActiveAt} />
            </Trans>
          )}
        </span>
      </div>
    </PlainLink>
  );
}
