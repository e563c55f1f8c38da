import { readdirSync, statSync } from 'node:fs';
import { mkdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
/** A build renews its lock, so an older lock is stale. */
const STALE_MS = 60_000;

type Build = {
  /** Part of the name of its lock. */
  name: string;
  /** A file that the build writes; its time is that of the last build. */
  built: string;
  /** Files and folders of the repository. */
  sources: readonly string[];
  /** In another process, because a busy one does not renew the lock. */
  build(): Promise<unknown>;
  /** What no other build may interrupt. */
  use?(): Promise<unknown>;
};

/**
 * Builds if the sources are newer than the last build. Test files run in parallel and a build first deletes the last
 * one, so only one of them builds while the others wait.
 */
export async function buildOnce({ name, built, sources, build, use }: Build): Promise<void> {
  const lock = join(root, `node_modules/.gatebook-${name}-build`);
  while (!(await tryLock(lock))) await pause(100);
  try {
    const newest = Math.max(...sources.map((path) => newestIn(join(root, path))));
    if ((await timeOf(built)) < newest) {
      const renewal = setInterval(() => utimes(lock, new Date(), new Date()).catch(() => {}), STALE_MS / 10);
      await build().finally(() => clearInterval(renewal));
    }
    await use?.();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function tryLock(lock: string): Promise<boolean> {
  const isMine = await mkdir(lock).then(
    () => true,
    () => false,
  );
  if (!isMine && Date.now() - (await timeOf(lock)) > STALE_MS) await rm(lock, { recursive: true, force: true });
  return isMine;
}

async function timeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

/** What builds write, and what none of them contain. */
const unbuilt = ['node_modules', 'dist', 'e2e', 'build', '.next', 'next-env.d.ts', '.react-router'];

/** Time of the newest file at or below a path, in milliseconds. Waiting for each call would take four times as long. */
function newestIn(path: string): number {
  const status = statSync(path);
  if (!status.isDirectory()) return status.mtimeMs;
  const below = readdirSync(path).filter((name) => !unbuilt.includes(name));
  return Math.max(0, ...below.map((name) => newestIn(join(path, name))));
}
