import type { OwnedProjectsClient, Project } from '@gatebook/js/admin';
import { useAction, useResource, useResourceCache } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, NativeSelect, Skeleton } from '@mantine/core';
import { IconArrowsSort, IconFolderPlus, IconFolderSearch, IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { LinkButton } from '../../components/app-link.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { Pager } from '../../components/paged-list.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Card, EmptyNote, ErrorNote } from '../../components/states.tsx';
import { useNavigation } from '../../lib/navigation.ts';
import { useTitle } from '../../lib/use-title.ts';
import { ProjectTile } from './project-tile.tsx';
import classes from './projects-page.module.css';
import { isProjectOrder, orderOptions, type ProjectsSearch, projectOrder, projectsHref } from './projects-search.ts';

const CreateProjectDialog = lateDialog(async () => (await import('./create-project-dialog.tsx')).CreateProjectDialog);

const PAGE_SIZE = 24;

type ProjectsPageProps = {
  projects: Pick<OwnedProjectsClient, 'search' | 'create'>;
  search: ProjectsSearch;
  onCreated: (project: Project) => void;
};

/** The projects of the owner: searched and sorted, in pages. */
export function ProjectsPage({ projects, search, onCreated }: ProjectsPageProps) {
  useTitle(t`Projects`);
  const cache = useResourceCache();
  const { go } = useNavigation();
  const setCreating = (isCreating: boolean): void => go(projectsHref({ ...search, isCreating }), { replace: true });
  const newButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      <Trans>Create project</Trans>
    </Button>
  );
  return (
    <Page
      title={t`Projects`}
      lead={t`Each project has its own users, keys and settings.`}
      actions={
        <>
          <LinkButton variant="default" href="/deleted-projects">
            <Trans>Deleted projects</Trans>
          </LinkButton>
          {newButton}
        </>
      }
    >
      <ProjectList projects={projects} search={search} newButton={newButton} />
      <CreateProjectDialog
        isOpen={search.isCreating}
        onClose={() => setCreating(false)}
        create={async (input) => {
          const project = await projects.create(input);
          await cache.invalidate(['projects']);
          onCreated(project);
        }}
      />
    </Page>
  );
}

type ListProps = Pick<ProjectsPageProps, 'projects' | 'search'> & { newButton: ReactNode };

function ProjectList({ projects, search, newButton }: ListProps) {
  const { query, order, cursor } = search;
  const { go } = useNavigation();
  const show = (change: Partial<ProjectsSearch>, options?: { replace?: boolean }): void =>
    go(projectsHref({ ...search, cursor: null, ...change }), options);
  const asked = { query, ...projectOrder(order), limit: PAGE_SIZE };
  const list = useResource(['projects', 'search', query, order, cursor], () => projects.search({ ...asked, cursor }));
  // In reverse order, the page begins at the same project, and ends where the previous page begins.
  const goBack = useAction(async () => {
    const { nextCursor } = await projects.search({ ...asked, desc: !asked.desc, cursor });
    show({ cursor: nextCursor });
  });
  const error = list.error ?? goBack.error;
  const items = list.value?.items ?? [];
  const nextCursor = list.value?.nextCursor ?? null;
  const isFirstEmpty = list.value?.items.length === 0 && query === '' && cursor === null;
  return (
    <>
      {!isFirstEmpty && (
        <div className={classes.tools}>
          <SearchField
            label={t`Search projects`}
            placeholder={t`Search by name or ID`}
            value={query}
            onChange={(text) => show({ query: text }, { replace: true })}
          />
          <NativeSelect
            aria-label={t`Sort by`}
            leftSection={<IconArrowsSort size={16} aria-hidden />}
            data={orderOptions}
            value={order}
            onChange={({ currentTarget: { value } }) => isProjectOrder(value) && show({ order: value })}
          />
        </div>
      )}
      {error !== undefined && (
        <ErrorNote
          title={t`Your projects could not be loaded`}
          error={error}
          onRetry={list.refresh}
          isRetrying={list.isFetching}
        />
      )}
      {list.value === undefined && list.error === undefined && <ProjectsLoading />}
      {list.value && items.length === 0 && (
        <Card>
          {isFirstEmpty ? <NoProjects action={newButton} /> : <NoMatch onClear={() => show({ query: '' })} />}
        </Card>
      )}
      {items.length > 0 && (
        <>
          <ul className={classes.grid}>
            {items.map((project) => (
              <li key={project.id}>
                <ProjectTile project={project} />
              </li>
            ))}
          </ul>
          {(cursor !== null || nextCursor !== null) && (
            <Pager
              isBusy={goBack.isRunning}
              onPrevious={cursor === null ? null : () => void goBack.run()}
              onNext={nextCursor === null ? null : () => show({ cursor: nextCursor })}
            >
              <Trans>{plural(items.length, { one: '# project', other: '# projects' })} on this page</Trans>
            </Pager>
          )}
        </>
      )}
    </>
  );
}

const NoProjects = ({ action }: { action: ReactNode }) => (
  <EmptyNote icon={<IconFolderPlus size={22} aria-hidden />} title={t`No projects yet`} action={action}>
    <Trans>A project is one app with its users. Create one and add sign-in to your app.</Trans>
  </EmptyNote>
);

const NoMatch = ({ onClear }: { onClear: () => void }) => (
  <EmptyNote
    icon={<IconFolderSearch size={22} aria-hidden />}
    title={t`No projects found`}
    action={
      <Button variant="default" onClick={onClear}>
        <Trans>Show all projects</Trans>
      </Button>
    }
  >
    <Trans>Search for part of a name or an ID.</Trans>
  </EmptyNote>
);

function ProjectsLoading() {
  return (
    <div className={classes.grid} role="status" aria-label={t`Loading projects`}>
      {['a', 'b', 'c'].map((key) => (
        <Skeleton key={key} h={146} radius="md" />
      ))}
    </div>
  );
}
