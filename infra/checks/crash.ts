import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findMasterKeys } from '@gatebook/gatebook/embedded/data-folder';
import { startEmbeddedPostgres } from '@gatebook/gatebook/embedded/postgres';
import { openLog } from '@gatebook/gatebook/open-log';
import { describeDifference } from '@gatebook/projections/consistency/rows';
import { compareWithRebuild, type TableCheck } from '@gatebook/projections/verify';
import { mainGroup, metricsGroup } from '@gatebook/readmodel/projection-groups';
import { createLogger } from '@gatebook/runtime/logger';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../testing/product.ts';

export type CrashReport = {
  /** Sign-ups that were acknowledged, open when the process was killed, and never sent. */
  answered: number;
  open: number;
  unsent: number;
  /** Open sign-ups that were recorded in the log. */
  openButRecorded: number;
  /** Violations of the guarantees, as messages. */
  faults: string[];
};

const password = 'survives a power cut';
const concurrency = 16;

/**
 * Signs up `signUps` users, kills all processes after `killAfter` responses, restarts, and checks that every
 * acknowledged sign-up is there. @throws Error when the product does not restart
 */
export async function crashOnce({ signUps, killAfter }: { signUps: number; killAfter: number }): Promise<CrashReport> {
  const folder = await makePassableFolder('gatebook-crash-');
  const settings = {
    GATEBOOK_DATA_DIR: join(folder, 'data'),
    GATEBOOK_RATE_LIMITS: 'off',
    GATEBOOK_INTERNAL_SIGN_UP: 'open',
  };
  try {
    const { answered, open, unsent } = await signUpUntilKilled(await startProduct(settings), signUps, killAfter);
    const restarted = await startProduct(settings);
    const faults: string[] = [];
    let openButRecorded = 0;
    try {
      const listed = await listEmails(restarted);
      for (const email of [...answered, ...open, ...unsent]) {
        const canSignIn = await signIn(restarted, email);
        if (answered.includes(email) && !canSignIn) faults.push(`${email} was acknowledged and can't sign in`);
        if (unsent.includes(email) && canSignIn) faults.push(`${email} was never sent and can sign in`);
        if (listed.has(email) !== canSignIn)
          faults.push(`${email}: listed ${listed.has(email)}, signs in ${canSignIn}`);
        if (open.includes(email) && canSignIn) openButRecorded += 1;
      }
    } finally {
      await restarted.stop();
    }
    for (const { table, differing, differences, checksum } of await compareReadModels(settings.GATEBOOK_DATA_DIR)) {
      if (checksum !== 'matches') faults.push(`the checksum of table ${table} ${checksum}`);
      if (differing > 0)
        faults.push(`table ${table} differs from a rebuild: ${differences.map(describeDifference).join('; ')}`);
    }
    return { answered: answered.length, open: open.length, unsent: unsent.length, openButRecorded, faults };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function signUpUntilKilled(product: Product, signUps: number, killAfter: number) {
  const waiting = Array.from({ length: signUps }, (_, n) => `user${n}@crash.example`);
  const answered: string[] = [];
  const open: string[] = [];
  let killed: Promise<void> | undefined;
  const work = async () => {
    for (let email = waiting.shift(); email && !killed; email = waiting.shift()) {
      const isAnswered = await post(product, '/auth/password/sign-up', email).then(
        (status) => status === 200,
        () => false,
      );
      (isAnswered ? answered : open).push(email);
      if (answered.length >= killAfter) killed ??= product.kill();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  await (killed ?? product.kill());
  return { answered, open, unsent: waiting };
}

async function signIn(product: Product, email: string): Promise<boolean> {
  const status = await post(product, '/auth/password/sign-in', email);
  if (status !== 200 && status !== 400) throw new Error(`sign-in of ${email} answered ${status}`);
  return status === 200;
}

async function post({ url }: Product, path: string, email: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-stack-access-type': 'client',
      'x-stack-project-id': 'internal',
      'x-stack-publishable-client-key': internalKeys.client,
    },
    body: JSON.stringify({
      email,
      password,
      ...(path.endsWith('sign-up') ? { verification_callback_url: `${url}/handler/email-verification` } : {}),
    }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function listEmails({ url }: Product): Promise<Set<string>> {
  const answer = await fetch(`${url}/api/v1/users`, {
    headers: {
      'x-stack-access-type': 'server',
      'x-stack-project-id': 'internal',
      'x-stack-secret-server-key': internalKeys.server,
    },
  });
  if (!answer.ok) throw new Error(`the list of users answered ${answer.status}`);
  const { items } = (await answer.json()) as { items: { primary_email: string }[] };
  return new Set(items.map((user) => user.primary_email));
}

/** Compares the read models of both projection groups with a rebuild from position 0. */
async function compareReadModels(dataDir: string): Promise<TableCheck[]> {
  const logger = createLogger({ level: 'warn' });
  const shutdown = createShutdown(logger);
  const server = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres') });
  shutdown.add('database', () => server.stop());
  try {
    const masterKey = await findMasterKeys(dataDir, { masterKey: null, formerMasterKeys: [] });
    const { pool, store } = await openLog({ databaseUrl: server.url('gatebook'), masterKey, logger, shutdown });
    const [main, metrics] = [
      await compareWithRebuild(pool, store, mainGroup),
      await compareWithRebuild(pool, store, metricsGroup),
    ];
    return [...main.tables, ...metrics.tables];
  } finally {
    await shutdown.run();
  }
}
