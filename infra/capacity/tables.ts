import { type CostTable, kinds, type Setup, stationNames } from './model.ts';
import { cpuPerSecond, findLimit, peakLoad, planGrowth } from './plan.ts';

const machines = [2, 4, 8, 16];
const sizes = [1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000];
const kindNames = {
  read: '`GET /users/me`',
  refresh: 'token refresh',
  list: 'list of 50 users',
  write: 'change of a user',
  signIn: 'sign-in with a password',
  signUp: 'sign-up with its email',
} as const;

const number = (value: number) => value.toLocaleString('en-US');
const ms = (value: number) => (Number.isNaN(value) ? '–' : `${value.toFixed(value < 10 ? 2 : 0)} ms`);
const percent = (value: number) => `${Math.round(value * 100)} %`;
const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Everything on one machine: one process for API, projector and worker. Requests take a core from hashing. */
const onOneMachine = (cores: number): Setup => ({
  apiProcesses: 1,
  hashThreads: Math.max(1, cores - 1),
  postgresCores: Math.max(1, cores / 2),
  replicaCores: 0,
  shards: 1,
  mailWorkers: 1,
});

export function costRows({ work, commitMs, eventMs, batchMs, projectedEventMs, emailMs }: CostTable): string {
  const requests = tableOf(
    ['Request', 'API', 'Postgres', 'Hash', 'Events'],
    kinds.map((kind) => {
      const { apiMs, postgresMs, hashMs, events } = work[kind];
      return [kindNames[kind], ms(apiMs), ms(postgresMs), hashMs > 0 ? ms(hashMs) : '–', String(events)];
    }),
  );
  const others = tableOf(
    ['Step', 'Time'],
    [
      ['commit of the log, *c*', ms(commitMs)],
      ['each event in a commit, *e*', ms(eventMs)],
      ['batch of a projection until its rows can be read, *b*', ms(batchMs)],
      ['each event in such a batch, *p*', ms(projectedEventMs)],
      ['email', ms(emailMs)],
    ],
  );
  return `${requests}\n\n${others}`;
}

export function machineTable(costs: CostTable): string {
  return tableOf(
    ['Cores', 'Registered users', 'Requests/s at the peak', 'Sign-ins/s', 'Writes/s', 'CPU'],
    machines.map((cores) => {
      const users = findLimit(costs, onOneMachine(cores), cores);
      const load = peakLoad(users);
      return [
        String(cores),
        number(users),
        number(Math.round(kinds.reduce((sum, kind) => sum + load[kind], 0))),
        load.signIn.toFixed(1),
        load.write.toFixed(1),
        percent(cpuPerSecond(costs, load) / 1000 / cores),
      ];
    }),
  );
}

export function growthTable(costs: CostTable): string {
  const head = ['Registered users', 'APIs', 'Hash threads each', 'Postgres', 'Replica', 'Shards', 'Mail'];
  return tableOf(
    [...head, 'Busiest', 'p99 read', 'p99 sign-in', 'p99 write'],
    planGrowth(costs, sizes, onOneMachine(4)).map(({ users, setup, outcome, bottleneck, isEnough }) => [
      `${number(users)}${isEnough ? '' : ' (not served)'}`,
      String(setup.apiProcesses),
      String(setup.hashThreads),
      `${setup.postgresCores} cores`,
      setup.replicaCores === 0 ? '–' : `${setup.replicaCores} cores`,
      String(setup.shards),
      String(setup.mailWorkers),
      `${bottleneck}, ${percent(Math.max(...stationNames.map((name) => outcome.utilization[name])))}`,
      ms(outcome.p99.read),
      ms(outcome.p99.signIn),
      ms(outcome.p99.write),
    ]),
  );
}
