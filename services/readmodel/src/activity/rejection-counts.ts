/** A failed sign-in or another rejected call. Contains nothing that the caller typed. */
export type Rejection = {
  projectId: string;
  /** The error's code. */
  code: string;
  /** Method and template of the path: `POST /api/v1/auth/password/sign-in`. */
  route: string;
  /** `client`, `server` or `admin`, as the request says; null if it says nothing. */
  accessType: string | null;
  /** The account that was tried or used; null for an unknown one. */
  userId: string | null;
  /** As returned by `subnetOf`. */
  network: string | null;
  requestId: string;
  /** ISO 8601. */
  at: string;
};

/** Equal rejections of one window. */
export type RejectionRow = Omit<Rejection, 'requestId' | 'at'> & {
  /** When the window begins. */
  windowAt: string;
  count: number;
  firstAt: string;
  lastAt: string;
  firstRequestId: string;
  lastRequestId: string;
};

export type RejectionCounts = {
  add(rejection: Rejection): void;
  /** Takes all counts. */
  take(): RejectionRow[];
  /** Adds counts that could not be written. */
  putBack(rows: readonly RejectionRow[]): void;
  /** Removes the rows of a deleted user or project. */
  drop(isMeant: (row: RejectionRow) => boolean): void;
  /** Forgets former windows without counts. @returns how many rejections were lost since the last call */
  prune(): number;
};

/** Length of a window. */
export const windowMs = 5 * 60_000;
/** How long after its end counts of a window are written. Later ones count in the current window. */
export const settleMs = 5_000;
/** About 10 MB. */
const maxDetailedRows = 20_000;
const maxDetailedRowsPerProject = 1_000;

/** Rejections that were first counted before the returned time were settled before `at` (milliseconds). */
export const settledBefore = (at: number): number => Math.floor((at - 1 - settleMs) / windowMs) * windowMs;

/** When the window of a time begins (ISO times). */
export const windowOf = (at: string): string => new Date(Date.parse(at) - (Date.parse(at) % windowMs)).toISOString();

/**
 * Counts rejections in a bounded amount of memory. A row stays until the next window, so that each window has a bounded
 * number of detailed rows, however often they are written. Further rejections are counted without account and network:
 * in one row per code, route and window of a project. With so many of those that there are twice as many rows, which
 * takes hours without a database, rejections are lost.
 */
export function createRejectionCounts({
  maxRows = maxDetailedRows,
  maxRowsPerProject = maxDetailedRowsPerProject,
} = {}): RejectionCounts {
  const rows = new Map<string, RejectionRow>();
  /** Number of rows by project and window. */
  const sizes = new Map<string, number>();
  let newestWindow = '';
  let lost = 0;

  function merge(row: RejectionRow): void {
    const found = rows.get(keyOf(row));
    if (found) {
      combine(found, row);
      return;
    }
    const isFull = rows.size >= maxRows || (sizes.get(sizeKeyOf(row)) ?? 0) >= maxRowsPerProject;
    if (isFull && (row.userId !== null || row.network !== null)) {
      merge({ ...row, userId: null, network: null });
    } else if (rows.size < 2 * maxRows) {
      rows.set(keyOf(row), row);
      sizes.set(sizeKeyOf(row), (sizes.get(sizeKeyOf(row)) ?? 0) + 1);
    } else {
      lost += row.count;
    }
  }

  function remove(key: string, row: RejectionRow): void {
    rows.delete(key);
    const size = (sizes.get(sizeKeyOf(row)) ?? 0) - 1;
    if (size > 0) sizes.set(sizeKeyOf(row), size);
    else sizes.delete(sizeKeyOf(row));
  }

  return {
    add: ({ requestId, at, ...rejection }) => {
      const times = { firstAt: at, lastAt: at, firstRequestId: requestId, lastRequestId: requestId };
      const windowAt = windowOf(at);
      if (windowAt > newestWindow) newestWindow = windowAt;
      merge({ ...rejection, windowAt, count: 1, ...times });
    },
    take: () => {
      const counted = [...rows.values()].filter(({ count }) => count > 0);
      return counted.map((row) => {
        const taken = { ...row };
        row.count = 0;
        return taken;
      });
    },
    putBack: (taken) => {
      for (const row of taken) merge(row);
    },
    drop: (isMeant) => {
      for (const [key, row] of rows) if (isMeant(row)) remove(key, row);
    },
    prune: () => {
      for (const [key, row] of rows) if (row.count === 0 && row.windowAt < newestWindow) remove(key, row);
      const before = lost;
      lost = 0;
      return before;
    },
  };
}

const keyOf = ({ projectId, windowAt, code, route, accessType, userId, network }: RejectionRow) =>
  JSON.stringify([projectId, windowAt, code, route, accessType, userId, network]);

const sizeKeyOf = ({ projectId, windowAt }: RejectionRow) => `${projectId} ${windowAt}`;

function combine(row: RejectionRow, { count, firstAt, lastAt, firstRequestId, lastRequestId }: RejectionRow): void {
  if (row.count === 0 || firstAt < row.firstAt) Object.assign(row, { firstAt, firstRequestId });
  if (row.count === 0 || lastAt >= row.lastAt) Object.assign(row, { lastAt, lastRequestId });
  row.count += count;
}
