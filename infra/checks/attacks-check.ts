import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Keys } from '../testing/api-client.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { internalKeys, startProduct } from '../testing/product.ts';
import { access } from './attacks/access.ts';
import type { Attack } from './attacks/attack.ts';
import { codes } from './attacks/codes.ts';
import { identity } from './attacks/identity.ts';
import { input } from './attacks/input.ts';
import { limits } from './attacks/limits.ts';
import { mail } from './attacks/mail.ts';
import { oauth } from './attacks/oauth.ts';
import { pages } from './attacks/pages.ts';
import { privacy } from './attacks/privacy.ts';
import { secondFactor } from './attacks/second-factor.ts';
import { sessions } from './attacks/sessions.ts';
import { tenancy } from './attacks/tenancy.ts';
import { createWorld, type World } from './attacks/world.ts';

/**
 * `npm run check:attacks [-- --url http://localhost:8102] [--only V2]`: attacks Gatebook over HTTP and prints which
 * attacks it withstood. Without `--url` it starts Gatebook with a new data folder, closed sign-up for `internal` and
 * rate limits. A Gatebook at `--url` must use the local inbox, trust this machine as a proxy (GATEBOOK_TRUSTED_PROXIES)
 * and have the keys of `internal` from GATEBOOK_INTERNAL_….
 */
const { values } = parseArgs({ options: { url: { type: 'string' }, only: { type: 'string' } } });
const attacks: readonly Attack[] = [
  ...[access, identity, codes, secondFactor, oauth, sessions, tenancy].flat(),
  ...[limits, input, pages, mail, privacy].flat(),
].filter(({ code }) => values.only === undefined || code === values.only);

const atOnce = 4;
const patienceMs = 60_000;

async function attempt({ run }: Attack, world: World): Promise<string | null> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no result after ${patienceMs} ms`)), patienceMs);
  try {
    await Promise.race([run(world), late.promise]);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs several attacks at once and prints the results in order. @returns the number of successful attacks */
async function attackAll(world: World): Promise<number> {
  const outcomes = attacks.map(() => Promise.withResolvers<string | null>());
  let next = 0;
  const work = async () => {
    for (let index = next++; index < attacks.length; index = next++) {
      const one = attacks[index];
      if (one) outcomes[index]?.resolve(await attempt(one, world));
    }
  };
  const working = Promise.all(Array.from({ length: atOnce }, work));
  let failed = 0;
  for (const [index, { code, attempt: text }] of attacks.entries()) {
    const reason = await outcomes[index]?.promise;
    if (reason) failed += 1;
    process.stdout.write(`${reason ? 'failed' : 'passed'}  ${code.padEnd(4)} ${text}${reason ? `: ${reason}` : ''}\n`);
  }
  await working;
  return failed;
}

function keysOfEnvironment(env: NodeJS.ProcessEnv): Keys {
  return {
    client: env.GATEBOOK_INTERNAL_PUBLISHABLE_CLIENT_KEY ?? internalKeys.client,
    server: env.GATEBOOK_INTERNAL_SECRET_SERVER_KEY ?? internalKeys.server,
    admin: env.GATEBOOK_INTERNAL_SUPER_SECRET_ADMIN_KEY ?? internalKeys.admin,
  };
}

async function attackStarted(): Promise<number> {
  const folder = await makePassableFolder('gatebook-attacks-');
  const product = await startProduct({
    ...{
      GATEBOOK_DATA_DIR: join(folder, 'data'),
      GATEBOOK_TRUSTED_PROXIES: '127.0.0.1,::1',
      GATEBOOK_LOG_LEVEL: 'debug',
    },
  });
  try {
    let printed = '';
    for (const stream of [product.child.stdout, product.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
      });
    }
    return await attackAll(await createWorld(product.url, internalKeys, () => printed));
  } finally {
    await product.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const failed =
  values.url === undefined
    ? await attackStarted()
    : await attackAll(await createWorld(values.url, keysOfEnvironment(process.env), () => ''));
process.stdout.write(`${attacks.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
