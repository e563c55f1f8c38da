import { randomBytes, randomUUID } from 'node:crypto';
import type { Context } from '@gatebook/commands/deps';
import { execute } from '@gatebook/commands/execute';
import { streamOf } from '@gatebook/commands/streams';
import { emptyProfile } from '@gatebook/commands/user/new-user';
import { type UserCommand, userDecider } from '@gatebook/domain/user/decide';
import { systemClock } from '@gatebook/runtime/clock';
import { sha256 } from '@gatebook/runtime/hash';
import { newId } from '@gatebook/runtime/ids';
import { inTurn } from './in-turn.ts';
import { openBenchLog } from './open-log.ts';
import type { Result } from './report.ts';
import { median } from './statistics.ts';

const [shortEvents, longEvents] = [5, 5_000];
const ctx: Context = { projectId: 'internal', actor: { kind: 'system', id: null }, requestId: randomUUID() };

type Log = Awaited<ReturnType<typeof openBenchLog>>;

/** Time of a rename of a user with 5 and with 5,000 events, in a process that knows the user and in a new one. */
export async function benchStreams(url: string): Promise<Result[]> {
  const masterKey = randomBytes(32);
  const open = () => openBenchLog(url, masterKey);
  const first = await open();
  try {
    const shortUser = await createUser(first, shortEvents);
    const longUser = await createUser(first, longEvents);
    const warm = (userId: string) => async () => {
      const times: number[] = [];
      for (let nth = 0; nth < 50; nth += 1) times.push(await rename(first, userId, `Bea ${nth}`));
      return median(times);
    };
    const cold = (userId: string) => async () => {
      const other = await open();
      // Opens the connections and prepares the code.
      await rename(other, shortUser === userId ? longUser : shortUser, 'Cleo');
      const time = await rename(other, userId, 'Dora');
      await other.close();
      return time;
    };
    const measured = [
      { where: 'in a process that knows the user', ...(await inTurn(5, warm(longUser), warm(shortUser))) },
      { where: 'in a new process', ...(await inTurn(7, cold(longUser), cold(shortUser))) },
    ];
    return measured.map(({ where, ...figures }) => ({
      name: `rename of a user with ${longEvents.toLocaleString('en-US')} events, ${where}`,
      ...figures,
      referenceName: `the same with ${shortEvents} events`,
      unit: 'ms',
      aim: { atMostRatio: 2 },
    }));
  } finally {
    await first.close();
  }
}

async function runCommand({ store }: Log, userId: string, command: UserCommand): Promise<number> {
  const deps = { store, now: systemClock, newId, sha256, lookupHash: () => '' };
  const start = performance.now();
  await execute(deps, ctx, userDecider, streamOf.user(userId), command);
  return performance.now() - start;
}

const rename = (log: Log, userId: string, displayName: string) =>
  runCommand(log, userId, { type: 'RenameUser', displayName, at: systemClock() });

async function createUser(log: Log, events: number): Promise<string> {
  const userId = newId();
  await runCommand(log, userId, {
    type: 'CreateUser',
    ...{ userId, projectId: ctx.projectId, displayName: 'Ann', isAnonymous: false, method: 'server', email: null },
    ...{ ...emptyProfile, passwordHash: null, isOtpEnabled: false, permissions: [], at: systemClock() },
  });
  for (let revision = 1; revision < events; revision += 1) await rename(log, userId, `Ann ${revision}`);
  return userId;
}
