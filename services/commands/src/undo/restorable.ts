import { reject } from '@gatebook/domain/errors';
import { daysOfGraceLeft } from '@gatebook/domain/grace-period';
import { type Definitions, withSystemPermissions } from '@gatebook/domain/permission/effective';
import type { UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { rejectIrreversible } from './reversibility.ts';

/** What a restoration needs to know besides the values. */
export type RestoreContext = { project: ProjectFacts; at: string };

/** How the objects of one category of streams are restored. */
export type Restorable<State, Values> = {
  /** What can be restored, named as in requests; null: the object does not exist. */
  valuesOf(state: State): Values | null;
  /** Decides the commands that lead from the current values to others. */
  restore(work: UnitOfWork, id: string, change: { from: Values; to: Values }, context: RestoreContext): Promise<void>;
};

export const keyed = (keys: Iterable<string>): Record<string, true> =>
  Object.fromEntries([...keys].map((key) => [key, true] as const));

/** Keys that are only in `one`. */
export const keysOnlyIn = (one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>) =>
  Object.keys(one).filter((key) => !Object.hasOwn(other, key));

/** A grant of a permission without a definition has no effect. @throws DomainError PERMISSION_NOT_FOUND */
export function requireDefined(keys: readonly string[], definitions: Definitions): void {
  const known = new Set(withSystemPermissions(definitions).map(({ key }) => key));
  const unknown = keys.find((key) => !known.has(key));
  if (unknown !== undefined) reject('PERMISSION_NOT_FOUND', { permission_id: unknown });
}

/** The days until a deletion that is scheduled again. @throws DomainError ACTION_NOT_REVERSIBLE */
export function requireGraceLeft(erasedAt: string, at: string): number {
  const days = daysOfGraceLeft(erasedAt, at);
  return days > 0 ? days : rejectIrreversible(['The grace period of the deletion is over.']);
}
