import type { OperationsStatus } from './queries.ts';

/** Something that an operator must fix. `part` names the projection, reactor, queue or project that it is about. */
export type Problem = {
  code:
    | 'database_unavailable'
    | 'database_read_only'
    | 'log_unavailable'
    | 'appends_blocked'
    | 'projector_missing'
    | 'worker_missing'
    | 'projection_missing'
    | 'projection_stopped'
    | 'projection_behind'
    | 'project_quarantined'
    | 'erasures_quarantined'
    | 'reactor_stopped'
    | 'reactor_behind'
    | 'queue_unavailable'
    | 'queue_stuck';
  part: string | null;
  /** What is wrong and what to do. Contains no data of users: everybody can read it. */
  message: string;
};

/** Leaders that an installation needs. */
export type LeaderName = 'projector' | 'worker';

const problem = (code: Problem['code'], message: string, part: string | null = null): Problem => ({
  code,
  part,
  message,
});

export const databaseUnavailable = problem(
  'database_unavailable',
  'The database does not respond. Check that Postgres is running and can be reached.',
);
export const logUnavailable = problem(
  'log_unavailable',
  'The event log does not respond. Check that its server is running and can be reached.',
);
export const appendsBlocked = problem(
  'appends_blocked',
  'Another session blocks appends to the event log. Find the session that holds the advisory lock on log.events in pg_locks, and end it.',
);
export const databaseReadOnly = problem(
  'database_read_only',
  'The database is read-only, so nothing can be written. Connect to the primary server.',
);
export const queueUnavailable = (queue: string) =>
  problem(
    'queue_unavailable',
    `Queue ${queue} does not respond. Check that Redis, or the database if it stores the queues, can be reached.`,
    queue,
  );
export const queueStuck = (queue: string, waitedMs: number) =>
  problem(
    'queue_stuck',
    `The oldest job of queue ${queue} has waited for ${seconds(waitedMs)}. Read the logs of the workers and restart them.`,
    queue,
  );

/** An acknowledged write is readable within two seconds. */
const maxMainAgeMs = 10_000;
/** The effect of a reactor, such as an email, can take long. */
const maxAgeMs = 60_000;

/** `ageOf`: milliseconds since the commit of the oldest event that a subscription has not processed; 0 without one. */
export function subscriptionProblems(
  { subscriptions }: Pick<OperationsStatus, 'subscriptions'>,
  groups: readonly string[],
  ageOf: (name: string) => number,
): Problem[] {
  const missing = groups
    .filter((group) => !subscriptions.some(({ name }) => name === group))
    .map((group) =>
      problem(
        'projection_missing',
        `Projection ${group} is being built for the first time. If its position does not rise, read the log of the process that builds it.`,
        group,
      ),
    );
  const failing = subscriptions.flatMap(({ name, projectionVersion, state }) => {
    const kind = projectionVersion === null ? 'reactor' : 'projection';
    if (state === 'stopped') {
      const text = `${titles[kind]} ${name} has stopped. Find its error on the Operations page, fix the cause, and restart the ${processOf(name)}.`;
      return problem(`${kind}_stopped`, text, name);
    }
    const age = ageOf(name);
    if (age <= (name === 'main' ? maxMainAgeMs : maxAgeMs)) return [];
    const text = `The oldest event that ${kind} ${name} has not processed is ${seconds(age)} old. If this grows, read the log of the ${processOf(name)} and restart it.`;
    return problem(`${kind}_behind`, text, name);
  });
  return [...missing, ...failing];
}

/** Project `internal` is part of the installation: without it, no owner can sign in. */
const ownersProject = 'internal';
const erasures = 'erasures';
const shownProjects = 20;

/** One problem for each project, and one for its erasures. */
export function quarantineProblems({ quarantines }: Pick<OperationsStatus, 'quarantines'>): Problem[] {
  const live = quarantines.filter(({ isLive }) => isLive);
  const projects = [...new Set(live.map(({ projectId }) => projectId))].slice(0, shownProjects);
  return projects.flatMap((projectId) => {
    const names = live.filter((one) => one.projectId === projectId).map(({ subscription }) => subscription);
    const others = [...new Set(names.filter((name) => name !== erasures))];
    return [
      ...(others.length === 0
        ? []
        : [
            problem(
              'project_quarantined',
              `Project ${projectId} is quarantined in ${others.join(', ')}: its events wait there. Find the error on the Operations page, fix the cause, and retry.`,
              projectId,
            ),
          ]),
      ...(names.includes(erasures)
        ? [
            problem(
              'erasures_quarantined',
              `Deleted data of project ${projectId} is not erased completely. Find the error on the Operations page, fix the cause, and retry.`,
              projectId,
            ),
          ]
        : []),
    ];
  });
}

/** Whether the installation works in spite of the problem, except for one project. */
export const concernsOneProject = ({ code, part }: Problem): boolean =>
  (code === 'project_quarantined' || code === 'erasures_quarantined') && part !== ownersProject;

const titles = { projection: 'Projection', reactor: 'Reactor' } as const;
const processOf = (name: string) => (name === 'main' ? 'projector' : 'worker');

export const missingLeaders = (leaders: readonly string[], needed: readonly LeaderName[]): Problem[] =>
  needed
    .filter((name) => !leaders.includes(name))
    .map((name) =>
      problem(
        `${name}_missing`,
        `No ${name} is running. Start one, or read the log of the process that should run it.`,
      ),
    );

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
