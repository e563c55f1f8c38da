import type { OperationsStatus } from './queries.ts';

/** Something that an operator must fix. `part` names the projection, reactor, queue or project that it is about. */
export type Problem = {
  /** `warning`: the installation works, possibly except for one project. */
  severity: 'critical' | 'warning';
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
    | 'projection_checkpoint_lost'
    | 'reactor_checkpoint_lost'
    | 'project_quarantined'
    | 'key_lost'
    | 'erasures_quarantined'
    | 'reactor_stopped'
    | 'reactor_behind'
    | 'queue_unavailable'
    | 'queue_stuck'
    | 'log_fell_back'
    | 'backup_old';
  part: string | null;
  /** What is wrong and what to do. Contains no data of users: everybody can read it. */
  message: string;
};

/** What happened to the log and its backups. Times are milliseconds since 1970. */
export type LogHistory = {
  /** When the log began. */
  installedAt: number;
  /** When it was last noticed that the log had lost events; null if it never was. */
  fellBackAt: number | null;
  /** Null if none was made with `gatebook backup`. `verifiedAt`: null if its file was not verified. */
  lastBackup: { finishedAt: number; verifiedAt: number | null } | null;
  /** Age in days at which a backup is too old; null if backups are made by other means. */
  backupDueDays: number | null;
};

/** Leaders that an installation needs. */
export type LeaderName = 'projector' | 'worker';

const problem = (code: Problem['code'], message: string, part: string | null = null): Problem => ({
  severity: 'critical',
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
    .map((group): Problem => {
      const text = `Projection ${group} is being built for the first time. If its position does not rise, read the log of the process that builds it.`;
      // Only `main` is needed to serve apps.
      return { ...problem('projection_missing', text, group), severity: group === 'main' ? 'critical' : 'warning' };
    });
  const failing = subscriptions.flatMap(({ name, projectionVersion, state, isCheckpointLost }) => {
    const kind = projectionVersion === null ? 'reactor' : 'projection';
    if (isCheckpointLost) {
      const text = `${titles[kind]} ${name} has processed events that the log has lost. ${checkpointRemedies[kind](name)}`;
      return problem(`${kind}_checkpoint_lost`, text, name);
    }
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

/** Problems of each project by cause: of the owners' project, then of those that were quarantined first. */
export function quarantineProblems({ quarantines }: Pick<OperationsStatus, 'quarantines'>): Problem[] {
  const live = quarantines.filter(({ isLive }) => isLive);
  const ofOwners = live.filter(({ projectId }) => projectId === ownersProject);
  const projects = [...new Set([...ofOwners, ...live].map(({ projectId }) => projectId))].slice(0, shownProjects);
  return projects.flatMap((projectId) => {
    const all = live.filter((one) => one.projectId === projectId);
    const namesOf = (some: typeof all) => [...new Set(some.map(({ subscription }) => subscription))];
    const others = namesOf(all.filter(({ subscription, isKeyLost }) => subscription !== erasures && !isKeyLost));
    const withoutKey = namesOf(all.filter(({ isKeyLost }) => isKeyLost));
    const found: Problem[] = [];
    if (others.length > 0) {
      const text = `Project ${projectId} is quarantined in ${others.join(', ')}: its events wait there. Find the error on the Operations page, fix the cause, and retry.`;
      found.push(problem('project_quarantined', text, projectId));
    }
    if (withoutKey.length > 0) {
      const text = `Project ${projectId} is quarantined in ${withoutKey.join(', ')}, because the key of a subject is lost. Restore the key from a backup, or run gatebook keys declare-lost with the subject that the Operations page shows.`;
      found.push(problem('key_lost', text, projectId));
    }
    if (all.some(({ subscription }) => subscription === erasures)) {
      const text = `Deleted data of project ${projectId} is not erased completely. Find the error on the Operations page, fix the cause, and retry.`;
      found.push(problem('erasures_quarantined', text, projectId));
    }
    return projectId === ownersProject ? found : found.map(asWarning);
  });
}

/** What each kind means if nobody may know which projects it is about. */
const ofProjects: Partial<Record<Problem['code'], string>> = {
  project_quarantined: 'Events of some projects wait because one of them failed.',
  key_lost: 'Events of some projects wait because the key of a subject is lost.',
  erasures_quarantined: 'Deleted data of some projects is not erased completely.',
};

/** Counts the projects of owners that have a problem instead of naming them, for readers who are not operators. */
export function withoutProjects(problems: readonly Problem[]): Problem[] {
  const isOfOwner = ({ code, part }: Problem) => code in ofProjects && part !== ownersProject;
  const counted = Object.entries(ofProjects).flatMap(([code, text]) => {
    const count = problems.filter((one) => one.code === code && isOfOwner(one)).length;
    if (count === 0) return [];
    const number = `${count === shownProjects ? 'At least ' : ''}${count} project${count === 1 ? '' : 's'}`;
    const message = `${text} ${number}: see the Operations page or run "gatebook projections list".`;
    return [asWarning(problem(code as Problem['code'], message))];
  });
  return [...problems.filter((one) => !isOfOwner(one)), ...counted];
}

const asWarning = (one: Problem): Problem => ({ ...one, severity: 'warning' });

/** A log that fell back is shown for this time. */
const fellBackShownMs = 3 * 24 * 60 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;

/** Days since the last backup, or since the log began. */
export const daysSinceBackup = ({ lastBackup, installedAt }: LogHistory, now: number): number =>
  Math.floor((now - (lastBackup?.finishedAt ?? installedAt)) / dayMs);

/** The installation works, but what was lost must be repeated, and what will be lost must be saved. */
export function historyProblems(history: LogHistory, now: number): Problem[] {
  const { lastBackup, backupDueDays, fellBackAt } = history;
  const found: Problem[] = [];
  if (fellBackAt !== null && now - fellBackAt < fellBackShownMs) {
    const at = new Date(fellBackAt).toISOString().slice(0, 16).replace('T', ' ');
    const text = `The log lost committed events at ${at} UTC. Repeat what must not be lost, such as revoked keys. See "When the log falls back" in docs/operations.md.`;
    found.push(problem('log_fell_back', text));
  }
  const days = daysSinceBackup(history, now);
  if (backupDueDays !== null && days >= backupDueDays) {
    const text = lastBackup ? `The last backup is ${days} days old.` : `There is no backup, after ${days} days.`;
    found.push(problem('backup_old', `${text} Run gatebook backup, and schedule it.`));
  }
  return found.map(asWarning);
}

const titles = { projection: 'Projection', reactor: 'Reactor' } as const;
const checkpointRemedies = {
  projection: (name: string) => `Run gatebook projections rebuild ${name} --promote.`,
  reactor: (name: string) => `Run gatebook reactors reset ${name}.`,
} as const;
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
