import type { ProjectOverview } from '@gatebook/js/admin';
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
            Owners
          </Badge>
        )}
        {project.isProductionMode && (
          <Badge variant="light" size="sm">
            Production
          </Badge>
        )}
      </div>
      <Text size="sm" c="dimmed" lineClamp={2} className={classes.description}>
        {project.description || 'No description'}
      </Text>
      <div className={classes.tileFoot}>
        <span>
          <strong>{formatCount(userCount)}</strong> {userCount === 1 ? 'user' : 'users'}
        </span>
        <span>
          {lastActiveAt === null ? 'created ' : 'active '}
          <RelativeTime at={lastActiveAt ?? createdAt} />
        </span>
      </div>
    </PlainLink>
  );
}
