import type {
  AuditClient,
  OpenIdProvidersClient,
  PermissionsClient,
  Project,
  TeamsClient,
  UserChanges,
  UserCount,
  UsersClient,
} from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconDownload, IconUserPlus } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { LinkButton } from '../../components/app-link.tsx';
import { FilterChips } from '../../components/filter-chips.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { SavedViews } from '../../components/saved-views/saved-views.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Card, ErrorNote, RowsLoading } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { rememberList } from '../../lib/last-list.ts';
import { timeOf, useMoment } from '../../lib/moment.ts';
import { useNavigation } from '../../lib/navigation.ts';
import { teamName } from '../../lib/team-name.ts';
import { useTitle } from '../../lib/use-title.ts';
import { readAllMatching } from './all-matching.ts';
import { NoUsers } from './no-users.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { TableMenu } from './table-menu.tsx';
import { readTableSettings, type TableSettings, writeTableSettings } from './table-settings.ts';
import { useSelection } from './use-selection.ts';
import { describeFilters, filtersOf, searchOf } from './user-filters.ts';
import { UsersFilters } from './users-filters.tsx';
import classes from './users-page.module.css';
import { UsersPager } from './users-pager.tsx';
import { isFiltered, type UsersSearch, type UsersSearchChange, usersHref } from './users-search.ts';
import { UsersTable } from './users-table.tsx';

const CreateUserDialog = lateDialog(async () => (await import('./create-user-dialog.tsx')).CreateUserDialog);
const ExportUsersDialog = lateDialog(async () => (await import('./export-users-dialog.tsx')).ExportUsersDialog);

const PAGE_SIZE = 25;
const COMPACT_PAGE_SIZE = 50;

type UsersPageProps = {
  users: UsersClient;
  teams: Pick<TeamsClient, 'list' | 'find'>;
  permissions: Pick<PermissionsClient, 'list'>;
  openIdProviders: Pick<OpenIdProvidersClient, 'list'>;
  audit: Pick<AuditClient, 'recordUserExport'>;
  projectId: string;
  /** undefined while loading. */
  project: Project | undefined;
  search: UsersSearch;
  /** The link asks for a new user. */
  opensForm: boolean;
};

/** The users of a project: searched, filtered and sorted, in pages. */
export function UsersPage(props: UsersPageProps) {
  const { users, teams, openIdProviders, audit, projectId, project, search, opensForm } = props;
  useTitle(t`Users`, project?.displayName);
  const { go } = useNavigation();
  const now = useFilterTime();
  useEffect(() => rememberList(projectId, 'users', usersHref(projectId, search)), [projectId, search]);
  const [isCreating, setCreating] = useState(opensForm);
  useEffect(() => setCreating(opensForm), [opensForm]);
  const [isExporting, setExporting] = useState(false);
  const [settings, setSettings] = useState(readTableSettings);
  const team = useResource(['team-of-filter', projectId, search.team ?? ''], async () =>
    search.team === undefined ? null : teams.find(search.team),
  );
  const show = (change: UsersSearchChange, options?: { replace?: boolean }): void =>
    go(usersHref(projectId, { ...search, cursor: null, ...change }), options);
  const changeSettings = (next: TableSettings): void => {
    writeTableSettings(next);
    setSettings(next);
    // Pages of another size begin at other users.
    if (next.isCompact !== settings.isCompact && search.cursor !== null) show({});
  };
  return (
    <Page
      title={t`Users`}
      tools={
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => setExporting(true)}
        >
          <Trans>Export</Trans>
        </Button>
      }
      actions={
        <>
          <LinkButton variant="default" href={`/projects/${projectId}/deleted-users`}>
            <Trans>Deleted users</Trans>
          </LinkButton>
          <Writing needs="developer">
            <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
              <Trans>Create user</Trans>
            </Button>
          </Writing>
        </>
      }
    >
      <div className={classes.tools}>
        <SearchField
          label={t`Search users`}
          placeholder={t`Search by name, email or ID`}
          value={search.query}
          onChange={(query) => show({ query }, { replace: true })}
        />
        <UsersFilters
          search={search}
          projectId={projectId}
          teams={teams}
          openIdProviders={openIdProviders}
          providerIds={project?.config.oauthProviders.map(({ id }) => id) ?? []}
          onChange={(change) => show(change)}
        />
        <SavedViews
          list="users"
          projectId={projectId}
          href={usersHref(projectId, { ...search, cursor: null })}
          example={t`Not verified`}
        />
        <TableMenu settings={settings} onChange={changeSettings} />
      </div>
      <FilterChips
        filters={describeFilters(search, team.value ? teamName(team.value) : undefined)}
        onRemove={(fields) => show(Object.fromEntries(fields.map((field) => [field, undefined])))}
      />
      <UserList
        // Filters that change leave nobody selected.
        key={JSON.stringify(filtersOf(search, 0))}
        {...props}
        settings={settings}
        show={show}
      />
      <CreateUserDialog
        isOpen={isCreating}
        onClose={() => {
          setCreating(false);
          if (opensForm) go(usersHref(projectId, search), { replace: true });
        }}
        create={async (input: UserChanges) => {
          const user = await users.create(input);
          go(`/projects/${projectId}/users/${user.id}`);
        }}
      />
      <ExportUsersDialog
        isOpen={isExporting}
        onClose={() => setExporting(false)}
        description={isFiltered(search) ? t`All users who match the filters.` : t`All users of the project.`}
        readPages={() => readAllMatching(users, filtersOf(search, now()))}
        record={(format) => audit.recordUserExport({ format, filters: filtersOf(search, now()) })}
      />
    </Page>
  );
}

type UserListProps = UsersPageProps & {
  settings: TableSettings;
  show: (change: UsersSearchChange) => void;
};

function UserList({ settings, show, ...props }: UserListProps) {
  const { users, projectId, project, search } = props;
  const isPast = useMoment().value !== null;
  const now = useFilterTime();
  const { go } = useNavigation();
  const limit = settings.isCompact ? COMPACT_PAGE_SIZE : PAGE_SIZE;
  const { cursor, order, ...filters } = search;
  const list = useResource(['users', projectId, JSON.stringify(filters), order, cursor, limit], () =>
    users.search({ ...searchOf(search, now()), cursor, limit }),
  );
  const counted = useTotal({ users, projectId, search, userCount: project?.userCount });
  const goBack = useAction(async (from: string) => {
    show(await users.findPreviousPage({ ...searchOf(search, now()), cursor: from, limit }));
  });
  const page = list.value;
  // A page of older users can have more matches than the newest users, who are counted.
  const isKnown = counted?.isComplete || (counted?.count ?? 0) > (page?.items.length ?? 0);
  const total = isKnown ? counted : null;
  const state = useSelection(page?.items ?? []);
  const isSelecting = state.selected.kind === 'all' || state.selected.users.size > 0;
  const isPageSelected = page?.items.every(({ id }) => state.selection.has(id)) ?? false;
  // The user at the cursor was deleted, or nobody follows.
  const isLost = page?.items.length === 0 && page.nextCursor === null;
  const goNext = (): void => show({ cursor: page?.nextCursor ?? null });
  return (
    <>
      {(list.error ?? goBack.error) !== undefined && (
        <ErrorNote
          title={t`The users could not be loaded`}
          error={list.error ?? goBack.error}
          onRetry={list.refresh}
          isRetrying={list.isFetching}
        />
      )}
      {(page !== undefined || list.error === undefined) && (
        <Card flush>
          {page === undefined && <RowsLoading rows={8} label={t`Loading users`} />}
          {isSelecting && !isPast && (
            <SelectionBar
              {...props}
              state={state}
              filters={() => filtersOf(search, now())}
              total={total}
              canSelectAll={isPageSelected && (cursor !== null || page?.nextCursor !== null)}
            />
          )}
          {page && page.items.length > 0 && (
            <UsersTable
              users={page.items}
              projectId={projectId}
              order={order}
              settings={settings}
              selection={isPast ? null : state.selection}
              onSort={(next) => show({ order: next })}
            />
          )}
          {page?.items.length === 0 && (
            <NoUsers
              search={search}
              hasMore={page.nextCursor !== null}
              onNext={goNext}
              onFirstPage={() => show({})}
              onClear={() => go(usersHref(projectId, {}))}
            />
          )}
          {page && (
            <UsersPager
              count={page.items.length}
              total={total}
              isBusy={goBack.isRunning}
              onPrevious={cursor === null ? null : () => (isLost ? show({}) : void goBack.run(cursor))}
              onNext={page.nextCursor === null ? null : goNext}
            />
          )}
        </Card>
      )}
    </>
  );
}

type TotalProps = Pick<UsersPageProps, 'users' | 'projectId' | 'search'> & { userCount: number | undefined };

/** How many users match. The project counts all its users itself. */
function useTotal({ users, projectId, search, userCount }: TotalProps): UserCount | null {
  const now = useFilterTime();
  const { cursor: _, order: __, ...filters } = search;
  const counted = useResource(['users', projectId, 'count', JSON.stringify(filters)], () =>
    isFiltered(search) ? users.count(filtersOf(search, now())) : Promise.resolve(null),
  );
  if (isFiltered(search)) return counted.value ?? null;
  return userCount === undefined ? null : { count: userCount, isComplete: true };
}

/** When the periods of filters end: now, or at the time that the page shows. For an event it is now. */
function useFilterTime(): () => number {
  const { value } = useMoment();
  return () => (value === null ? null : timeOf(value))?.getTime() ?? Date.now();
}
