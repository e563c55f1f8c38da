import { writtenColumns } from '@gatebook/projections/values';
import { mainGroup } from '../projection-groups.ts';

/** SQL that inserts a copy of any user with another ID, as no projection does. */
export function insertCopiedUser(schema: string, id: string): string {
  const users = mainGroup.tables.find(({ name }) => name === 'users');
  const columns = users ? writtenColumns(users).join(', ') : '';
  return `insert into ${schema}.users (${columns}) select ${columns} from (
    select (jsonb_populate_record(u, '{"id": "${id}"}')).* from ${schema}.users u limit 1) copied`;
}
