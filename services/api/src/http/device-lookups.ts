import { findKnownDevices } from '@gatebook/readmodel/sessions/queries';
import type { Deps } from '../deps.ts';

/** While rejected sign-ins arrive, so often is a statement sent for all of a project. */
const gatherMs = 25;

/** A device of `deviceOf`. */
export type Lookup = { userId: string; device: string };
type Waiting = Lookup & { resolve: (isKnown: boolean) => void; reject: (error: unknown) => void };

/**
 * Finds out whether users signed in from devices before. Each lookup reads what is there after it was asked for, but a
 * flood of them takes one statement for all of 25 ms (docs/decisions/0138).
 */
export function createDeviceLookups({ db }: Pick<Deps, 'db'>) {
  /** Projects of which a statement was sent just now. */
  const gathering = new Map<string, Waiting[]>();

  async function lookUp(projectId: string, lookups: readonly Waiting[]): Promise<void> {
    try {
      const known = await findKnownDevices(db, projectId, lookups);
      for (const [nth, { resolve }] of lookups.entries()) resolve(known.has(nth));
    } catch (error) {
      for (const { reject } of lookups) reject(error);
    }
  }

  function send(projectId: string, lookups: readonly Waiting[]): void {
    gathering.set(projectId, []);
    const gathered = new Promise<void>((resolve) => setTimeout(resolve, gatherMs));
    // A slow database is not sent more meanwhile.
    Promise.all([lookUp(projectId, lookups), gathered]).then(() => {
      const next = gathering.get(projectId) ?? [];
      if (next.length > 0) send(projectId, next);
      else gathering.delete(projectId);
    });
  }

  return {
    isKnown: (projectId: string, lookup: Lookup): Promise<boolean> =>
      new Promise((resolve, reject) => {
        const waiting = { ...lookup, resolve, reject };
        const others = gathering.get(projectId);
        if (others) others.push(waiting);
        else send(projectId, [waiting]);
      }),
  };
}

export type DeviceLookups = ReturnType<typeof createDeviceLookups>;
