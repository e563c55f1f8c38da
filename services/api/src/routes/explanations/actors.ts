import type { CauseView } from '@gatebook/contract/explanations';
import type { Actor, Impersonator } from '@gatebook/domain/event';
import { findNames, type Names } from '@gatebook/readmodel/audit/names';
import type { Deps } from '../../deps.ts';

type Person = Pick<Actor, 'kind' | 'id'> | Impersonator;
const isServer = ({ kind }: Person) => kind === 'server' || kind === 'admin';
const peopleOf = (actor: Actor): Person[] => (actor.impersonator ? [actor, actor.impersonator] : [actor]);

/** Names of users, owners and project keys that acted. */
export function findActorNames(db: Deps['db'], projectId: string, actors: readonly Actor[]): Promise<Names> {
  const people = actors.flatMap(peopleOf);
  const idsOf = (those: readonly Person[]) => [...new Set(those.flatMap(({ id }) => id ?? []))];
  const users = idsOf(people.filter((person) => !isServer(person)));
  const projectKeys = idsOf(people.filter(isServer));
  return findNames(db, projectId, { users, projectKeys, teams: [], apiKeys: [], webhookEndpoints: [] });
}

export function toActorView({ kind, id, impersonator }: Actor, { users, projectKeys }: Names): CauseView['actor'] {
  const toView = (person: Person) => {
    const names = isServer(person) ? projectKeys : users;
    return { kind: person.kind, id: person.id, display_name: names.get(person.id ?? '') ?? null };
  };
  return { ...toView({ kind, id }), impersonator: impersonator ? toView(impersonator) : null };
}
