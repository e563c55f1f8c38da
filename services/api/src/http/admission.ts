import type { Backlog } from '@gatebook/projections/pending-writes';

/** How much of a project's own writes may be waiting for the read models, before more of them are rejected. */
type Allowed = { events: number; ageMs: number };

/**
 * Who sends a write. Bulk writes come from servers and administrators, such as an import. They are limited first, and
 * sign-ins last.
 */
export type Sender = 'bulk' | 'user' | 'sign-in';

export const allowedBacklog: Readonly<Record<Sender, Allowed>> = {
  bulk: { events: 500, ageMs: 1_000 },
  user: { events: 5_000, ageMs: 5_000 },
  'sign-in': { events: 50_000, ageMs: 30_000 },
};
/** Bulk writes of a project that a process handles at once. The others wait for their turn. */
export const bulkAtOnce = 32;
/** While other projects write too. */
export const bulkBesideOthers = 2;
/** A project that wrote this recently counts as writing. */
export const writingMs = 1_000;
export const maxWaiting = 256;
export const longestTurnMs = 2_000;
const longestRetryAfterSeconds = 10;

/** The write was let in; call `leave` when it is done. Otherwise it should be sent again later. */
export type Admission = { leave(): void } | { retryAfterSeconds: number };

type Turn = (isOurs: boolean) => void;
/** Bulk writes of a project. */
type Queue = { running: number; waiting: Turn[] };

/**
 * Keeps the work of one project from delaying others: the log has one order, so every write waits for the events before
 * it. `backlogOf`: the project's events that the read models lack.
 */
export function createAdmission(backlogOf: (projectId: string) => Backlog, now = () => performance.now()) {
  const queues = new Map<string, Queue>();

  /** The project of the last write, and the last write of another one. */
  let last = { projectId: '', at: Number.NEGATIVE_INFINITY };
  let lastOther = last;

  function note(projectId: string): void {
    if (last.projectId !== projectId) lastOther = last;
    last = { projectId, at: now() };
  }

  function hasRoom(projectId: string, { running }: Queue): boolean {
    const other = last.projectId === projectId ? lastOther : last;
    return running < (now() - other.at < writingMs ? bulkBesideOthers : bulkAtOnce);
  }

  function fill(projectId: string, queue: Queue): void {
    while (hasRoom(projectId, queue)) {
      const next = queue.waiting.shift();
      if (!next) return;
      queue.running += 1;
      next(true);
    }
  }

  function leave(projectId: string, queue: Queue): void {
    queue.running -= 1;
    fill(projectId, queue);
    if (queue.running === 0) queues.delete(projectId);
  }

  /** @returns null if the write waited too long */
  async function takeTurn(projectId: string): Promise<(() => void) | null> {
    const queue = queues.get(projectId) ?? { running: 0, waiting: [] };
    queues.set(projectId, queue);
    fill(projectId, queue);
    if (hasRoom(projectId, queue)) queue.running += 1;
    else if (queue.waiting.length >= maxWaiting || !(await waitForTurn(queue))) return null;
    let hasLeft = false;
    return () => {
      if (!hasLeft) leave(projectId, queue);
      hasLeft = true;
    };
  }

  /** @returns the seconds after which to try again; null if the backlog is small enough */
  function findExcess(projectId: string, sender: Sender): number | null {
    const { events, ageMs } = backlogOf(projectId);
    const allowed = allowedBacklog[sender];
    if (events <= allowed.events && ageMs <= allowed.ageMs) return null;
    return Math.min(longestRetryAfterSeconds, Math.max(1, Math.ceil(ageMs / 1_000)));
  }

  return {
    async enter(projectId: string, sender: Sender): Promise<Admission> {
      note(projectId);
      const turn = sender === 'bulk' ? await takeTurn(projectId) : () => undefined;
      if (turn === null) return { retryAfterSeconds: 1 };
      const retryAfterSeconds = findExcess(projectId, sender);
      if (retryAfterSeconds === null) return { leave: turn };
      turn();
      return { retryAfterSeconds };
    },
  };
}

function waitForTurn({ waiting }: Queue): Promise<boolean> {
  return new Promise((resolve) => {
    const turn: Turn = (isOurs) => {
      clearTimeout(timer);
      resolve(isOurs);
    };
    const timer = setTimeout(() => {
      const place = waiting.indexOf(turn);
      if (place !== -1) waiting.splice(place, 1);
      turn(false);
    }, longestTurnMs);
    waiting.push(turn);
  });
}
