import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The session of this command line. */
export type StoredSession = { url: string; projectId: string; publishableClientKey: string; refreshToken: string };

/** `$XDG_CONFIG_HOME/gatebook/session.json`, below `~/.config` without it; below `%APPDATA%` on Windows. */
export function sessionFileIn(env: Readonly<Record<string, string | undefined>>, platform = process.platform): string {
  const folder = env.XDG_CONFIG_HOME || (platform === 'win32' && env.APPDATA) || join(env.HOME || homedir(), '.config');
  return join(folder, 'gatebook', 'session.json');
}

/** Null when nobody is signed in. @throws Error when the file has other content */
export async function readSession(file: string): Promise<StoredSession | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const stored = parse(text);
  if (!isSession(stored)) throw new Error(`${file} is not a session file of Gatebook. Delete it and log in again.`);
  return stored;
}

/**
 * Writes a new file with its final permissions and renames it, so that nobody else can ever read it and no reader sees
 * half of it.
 */
export async function writeSession(file: string, session: StoredSession): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}.new`;
  await rm(fresh, { force: true });
  await writeFile(fresh, `${JSON.stringify(session, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await chmod(fresh, 0o600);
  await rename(fresh, file);
}

export async function removeSession(file: string): Promise<void> {
  await rm(file, { force: true });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isSession(value: unknown): value is StoredSession {
  if (typeof value !== 'object' || value === null) return false;
  const fields = ['url', 'projectId', 'publishableClientKey', 'refreshToken'];
  return fields.every((field) => typeof (value as Record<string, unknown>)[field] === 'string');
}
