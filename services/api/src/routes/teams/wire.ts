import type { Json } from '@gatebook/contract/common';
import type { ClientTeamView, ServerTeamView } from '@gatebook/contract/teams';
import type { ActiveTeam } from '@gatebook/domain/team/state';
import type { TeamRow } from '@gatebook/readmodel/teams/queries';
import type { Caller } from '../../caller.ts';

/** Columns of type jsonb hold JSON. */
const asJson = (value: unknown) => value as Json;

export function toClientTeamView(team: TeamRow): ClientTeamView {
  return {
    id: team.id,
    display_name: team.displayName,
    profile_image_url: team.profileImageUrl,
    client_metadata: asJson(team.clientMetadata),
    client_read_only_metadata: asJson(team.clientReadOnlyMetadata),
  };
}

export function toServerTeamView(team: TeamRow): ServerTeamView {
  return {
    ...toClientTeamView(team),
    created_at_millis: team.createdAt,
    server_metadata: asJson(team.serverMetadata),
  };
}

export const toTeamView = ({ accessType }: Caller, team: TeamRow) =>
  accessType === 'client' ? toClientTeamView(team) : toServerTeamView(team);

/** The future row of a team that was just decided. */
export function rowOfTeam({ teamId, createdAt, ...team }: ActiveTeam): TeamRow {
  const { displayName, profileImageUrl, clientMetadata, clientReadOnlyMetadata, serverMetadata } = team;
  const metadata = { clientMetadata, clientReadOnlyMetadata, serverMetadata };
  return { id: teamId, displayName, profileImageUrl, ...metadata, createdAt: Date.parse(createdAt) };
}
