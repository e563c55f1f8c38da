import type { OwnedProjectsClient, Project } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { Badge, Button, Skeleton, Text, Title } from '@mantine/core';
import { IconFolderPlus, IconPlus } from '@tabler/icons-react';
import { LinkButton, PlainLink } from '../../components/app-link.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card, EmptyNote, ErrorNote } from '../../components/states.tsx';
import { formatCount } from '../../lib/format.ts';
import { useTitle } from '../../lib/use-title.ts';
import { CreateProjectDialog } from './create-project-dialog.tsx';
import classes from './projects-page.module.css';

type ProjectsPageProps = {
  projects: OwnedProjectsClient;
  isCreating: boolean;
  onCreating: (isCreating: boolean) => void;
  onCreated: (project: Project) => void;
};

export function ProjectsPage({ projects, isCreating, onCreating, onCreated }: ProjectsPageProps) {
  useTitle('Projects');
  const list = useResource(['projects'], projects.list);
  const newButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => onCreating(true)}>
      Create project
    </Button>
  );
  const actions = (
    <>
      <LinkButton variant="default" href="/deleted-projects">
        Deleted projects
      </LinkButton>
      {newButton}
    </>
  );
  return (
    <Page title="Projects" lead="Each project has its own users, keys and settings." actions={list.value && actions}>
      {list.error !== undefined && (
        <ErrorNote
          title="Your projects could not be loaded"
          error={list.error}
          onRetry={list.refresh}
          isRetrying={list.isFetching}
        />
      )}
      {list.value === undefined && list.error === undefined && <ProjectsLoading />}
      {list.value?.length === 0 && (
        <Card>
          <EmptyNote icon={<IconFolderPlus size={22} aria-hidden />} title="No projects yet" action={newButton}>
            A project is one app with its users. Create one and add sign-in to your app.
          </EmptyNote>
        </Card>
      )}
      {list.value && list.value.length > 0 && (
        <ul className={classes.grid}>
          {list.value.map((project) => (
            <li key={project.id}>
              <ProjectTile project={project} />
            </li>
          ))}
        </ul>
      )}
      <CreateProjectDialog
        isOpen={isCreating}
        onClose={() => onCreating(false)}
        create={async (input) => {
          const project = await projects.create(input);
          await list.refresh();
          onCreated(project);
        }}
      />
    </Page>
  );
}

function ProjectTile({ project }: { project: Project }) {
  return (
    <PlainLink href={`/projects/${project.id}`} className={classes.tile}>
      <div className={classes.tileHead}>
        <Title order={2}>{project.displayName || project.id}</Title>
        {project.id === 'internal' && (
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
          <strong>{formatCount(project.userCount)}</strong> {project.userCount === 1 ? 'user' : 'users'}
        </span>
        <span>
          created <RelativeTime at={project.createdAt} />
        </span>
      </div>
    </PlainLink>
  );
}

function ProjectsLoading() {
  return (
    <div className={classes.grid} role="status" aria-label="Loading projects">
      {['a', 'b', 'c'].map((key) => (
        <Skeleton key={key} h={146} radius="md" />
      ))}
    </div>
  );
}
