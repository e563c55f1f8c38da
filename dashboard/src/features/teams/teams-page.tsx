import type { Team, TeamsClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { Button, Text, TextInput } from '@mantine/core';
import { IconPlus, IconSearch, IconUsersGroup } from '@tabler/icons-react';
import { useState } from 'react';
import { LinkButton, PlainLink } from '../../components/app-link.tsx';
import { NameDialog } from '../../components/name-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card, EmptyNote } from '../../components/states.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { Writing } from '../../components/writing.tsx';
import { useNavigation } from '../../lib/navigation.ts';
import { teamName } from '../../lib/team-name.ts';
import { useTitle } from '../../lib/use-title.ts';

/** Teams beyond this number are reachable by search only. */
const maxShown = 200;

type Props = { teams: TeamsClient; projectId: string; projectName: string | undefined };

export function TeamsPage({ teams, projectId, projectName }: Props) {
  useTitle('Teams', projectName);
  const list = useResource(['teams', projectId], teams.list);
  const [isCreating, setCreating] = useState(false);
  const [search, setSearch] = useState('');
  const { go } = useNavigation();
  const newButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      Create team
    </Button>
  );
  const actions = (
    <>
      <LinkButton variant="default" href={`/projects/${projectId}/deleted-teams`}>
        Deleted teams
      </LinkButton>
      {newButton}
    </>
  );
  const found = list.value && filterTeams(list.value, search);
  return (
    <Page title="Teams" lead="Groups of users with their own members, permissions and API keys." actions={actions}>
      {list.value && list.value.length > 0 && (
        <TextInput
          aria-label="Search teams"
          placeholder="Search by name or ID"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          maw="24rem"
        />
      )}
      <Card flush>
        {list.value?.length === 0 ? (
          <EmptyNote
            icon={<IconUsersGroup size={22} aria-hidden />}
            title="No teams yet"
            action={<Writing>{newButton}</Writing>}
          >
            Users can create teams in your app, or you can create one here and add members.
          </EmptyNote>
        ) : (
          <Rows list={{ ...list, value: found?.slice(0, maxShown) }} label="Loading teams" empty="No teams found">
            {(team) => (
              <Row
                key={team.id}
                icon={<UserAvatar id={team.id} name={teamName(team)} />}
                small={
                  <>
                    created <RelativeTime at={team.createdAt} />
                  </>
                }
              >
                <PlainLink href={`/projects/${projectId}/teams/${team.id}`}>{teamName(team)}</PlainLink>
              </Row>
            )}
          </Rows>
        )}
      </Card>
      {found && found.length > maxShown && (
        <Text size="sm" c="dimmed">
          Showing the newest {maxShown} of {found.length.toLocaleString('en-US')} teams. Search to find the others.
        </Text>
      )}
      <NameDialog
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        title="Create team"
        confirmLabel="Create team"
        placeholder="Editors"
        onConfirm={async (displayName) => {
          const team = await teams.create({ displayName });
          await list.refresh();
          go(`/projects/${projectId}/teams/${team.id}`);
        }}
      />
    </Page>
  );
}

function filterTeams(teams: readonly Team[], search: string): Team[] {
  const text = search.trim().toLowerCase();
  return teams.filter(({ id, displayName }) => displayName.toLowerCase().includes(text) || id === text).toReversed();
}
