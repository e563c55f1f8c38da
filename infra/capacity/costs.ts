import type { Costs } from '../bench/bench.ts';
import type { CostTable, Work } from './model.ts';

/** Events that a request appends, and emails that it causes. */
const writes = { none: [0, 0], rename: [1, 0], signIn: [1, 0], signUp: [5, 1] } as const;

/**
 * The costs of the simulation from those that `npm run bench` measured. In the benchmark, one process is API, projector
 * and worker, so its CPU of a write includes projecting: the simulation errs on the safe side.
 * @throws Error when a cost was not measured
 */
export function toCostTable({ requests, figures }: Costs): CostTable {
  const figure = (name: string): number => {
    const value = figures[name];
    if (value === undefined || !(value > 0)) throw new Error(`"${name}" was not measured: run npm run bench`);
    return value;
  };
  const hashMs = figure('hashMs');
  const work = (name: string, [events, emails]: readonly [number, number], hashes: number): Work => {
    const measured = requests[name];
    if (!measured) throw new Error(`"${name}" was not measured: run npm run bench`);
    // What is left must be something: figures of a short run can differ by more than a request costs.
    const apiMs = Math.max(measured.processMs - hashes * hashMs, measured.processMs * 0.05);
    return { apiMs, postgresMs: Math.max(measured.postgresMs, 0), hashMs: hashes * hashMs, events, emails };
  };
  const [withEmail, without] = [work('sign-up-with-mail', writes.signUp, 1), work('sign-up', writes.signUp, 1)];
  const emailMs = Math.max(withEmail.apiMs + withEmail.postgresMs - without.apiMs - without.postgresMs, 1);
  return {
    work: {
      read: work('users/me', writes.none, 0),
      refresh: work('refresh', writes.none, 0),
      list: work('list-middle', writes.none, 0),
      write: work('rename', writes.rename, 0),
      signIn: work('sign-in', writes.signIn, 1),
      signUp: without,
    },
    commitMs: figure('commitMs'),
    eventMs: figure('eventMs'),
    batchMs: figure('visibleMs'),
    projectedEventMs: figure('projectedEventMs'),
    emailMs,
  };
}
