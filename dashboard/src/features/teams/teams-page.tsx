import type { TeamsClient } from '@gatebook/js/admin';
import { useAction, useResource, useResourceCache } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlus, IconUsersGroup } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { LinkButton } from '../../components/app-link.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { Pager } from '../../components/paged-list.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Card, EmptyNote, ErrorNote, RowsLoading } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { rememberList } from '../../lib/last-list.ts';
import { useMoment } from '../../lib/moment.ts';
import { useNavigation } from '../../lib/navigation.ts';
import { useTitle } from '../../lib/use-title.ts';
import { type TeamsSearch, teamOrder, teamsHref } from './teams-search.ts';
import { TeamsTable } from './teams-table.tsx';

const NameDialog = lateDialog(async () => (await import('../../components/name-dialog.tsx')).NameDialog);

const PAGE_SIZE = 25;

type Props = {
  teams: Pick<TeamsClient, 'search' | 'create'>;
  projectId: string;
  projectName: string | undefined;
  search: TeamsSearch;
};

/** The teams of a project: searched and sorted, in pages. */
export function TeamsPage(props: Props) {
  const { teams, projectId, projectName, search } = props;
  useTitle(t`Teams`, projectName);
  const [isCreating, setCreating] = useState(false);
  const cache = useResourceCache();
  const { go } = useNavigation();
  useEffect(() => rememberList(projectId, 'teams', teamsHref(projectId, search)), [projectId, search]);
  const newButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      <Trans>Create team</Trans>
    </Button>
  );
  return (
    <Page
      title={t`Teams`}
      lead={t`Groups of users with their own members, permissions and API keys.`}
      actions={
        <>
          <LinkButton variant="default" href={`/projects/${projectId}/deleted-teams`}>
            <Trans>Deleted teams</Trans>
          </LinkButton>
          {newButton}
        </>
      }
    >
      <TeamList {...props} newButton={<Writing>{newButton}</Writing>} />
      <NameDialog
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        title={t`Create team`}
        confirmLabel={t`Create team`}
        placeholder={t`Editors`}
        onConfirm={async (displayName) => {
          const team = await teams.create({ displayName });
          await cache.invalidate(['teams', projectId]);
          go(`/projects/${projectId}/teams/${team.id}`);
        }}
      />
    </Page>
  );
}

function TeamList({ teams, projectId, search, newButton }: Props & { newButton: React.ReactNode }) {
  const { query, order, cursor } = search;
  const { value: moment } = useMoment();
  const { go } = useNavigation();
  const show = (change: Partial<TeamsSearch>, options?: { replace?: boolean }): void =>
    go(teamsHref(projectId, { ...search, cursor: null, ...change }), options);
  const asked = { query, ...teamOrder(order), limit: PAGE_SIZE };
  const list = useResource(['teams', projectId, 'search', query, order, cursor], () =>
    teams.search({ ...asked, cursor }),
  );
  // In reverse order, the page begins at the same team, and ends where the previous page begins.
  const goBack = useAction(async () => {
    const { nextCursor } = await teams.search({ ...asked, desc: !asked.desc, cursor });
    show({ cursor: nextCursor });
  });
  const error = list.error ?? goBack.error;
  const isFirstEmpty = list.value?.items.length === 0 && query === '' && cursor === null;
  const nextCursor = list.value?.nextCursor ?? null;
  return (
    <>
      {!isFirstEmpty && (
        <SearchField
          label={t`Search teams`}
          placeholder={t`Search by name or ID`}
          value={query}
          onChange={(text) => show({ query: text }, { replace: true })}
        />
      )}
      {error !== undefined && (
        <ErrorNote
          title={t`The teams could not be loaded`}
          error={error}
          onRetry={list.refresh}
          isRetrying={list.isFetching}
        />
      )}
      {(list.value !== undefined || list.error === undefined) && (
        <Card flush>
          {list.value === undefined && <RowsLoading rows={8} label={t`Loading teams`} />}
          {isFirstEmpty && (
            <EmptyNote
              icon={<IconUsersGroup size={22} aria-hidden />}
              title={moment === null ? t`No teams yet` : t`No teams at this time`}
              action={moment === null && newButton}
            >
              {moment === null && (
                <Trans>Users can create teams in your app, or you can create one here and add members.</Trans>
              )}
            </EmptyNote>
          )}
          {list.value?.items.length === 0 && !isFirstEmpty && (
            <EmptyNote
              icon={<IconUsersGroup size={22} aria-hidden />}
              title={t`No teams found`}
              action={
                <Button variant="default" onClick={() => show({ query: '' })}>
                  <Trans>Show all teams</Trans>
                </Button>
              }
            >
              <Trans>Search for part of a name, or for a whole ID.</Trans>
            </EmptyNote>
          )}
          {list.value && list.value.items.length > 0 && (
            <>
              <TeamsTable
                teams={list.value.items}
                projectId={projectId}
                order={order}
                onSort={(next) => show({ order: next })}
              />
              <Pager
                isBusy={goBack.isRunning}
                onPrevious={cursor === null ? null : () => void goBack.run()}
                onNext={nextCursor === null ? null : () => show({ cursor: nextCursor })}
              >
                {plural(list.value.items.length, { one: '# team', other: '# teams' })}
                {(cursor !== null || nextCursor !== null) && t` on this page`}
              </Pager>
            </>
          )}
        </Card>
      )}
    </>
  );
}
