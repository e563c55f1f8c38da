import { readdir, readFile } from 'node:fs/promises';
import type { Pool } from '@gatebook/runtime/postgres';

/** As Linux reports times of processes, in hundredths of a second (proc_pid_stat(5)). */
export const tickMs = 10;
const pageBytes = 4096;

type ProcessStat = { pid: number; name: string; parent: number; ticks: number; ownTicks: number; bytes: number };

/**
 * CPU time in ms of a process and all its descendants, including those that have ended.
 * @throws Error when there is no such process
 */
export async function cpuMs(pid: number): Promise<number> {
  return (await treeOf(pid)).reduce((sum, { ticks }) => sum + ticks, 0) * tickMs;
}

/** CPU time in ms of a process without its children. */
export async function ownCpuMs(pid: number): Promise<number> {
  const found = await readStat(pid);
  if (!found) throw new Error(`process ${pid} has ended`);
  return found.ownTicks * tickMs;
}

/** CPU time in ms of the threads of a process by name. `main` is the main thread; threads of one name are summed. */
export async function threadsCpuMs(pid: number): Promise<Map<string, number>> {
  const threads = new Map<string, number>();
  for (const id of await readdir(`/proc/${pid}/task`)) {
    const found = await readStat(`${pid}/task/${id}`);
    if (!found) continue;
    const name = Number(id) === pid ? 'main' : found.name;
    threads.set(name, (threads.get(name) ?? 0) + found.ownTicks * tickMs);
  }
  return threads;
}

/** Resident memory in MB of one process. */
export async function residentMegabytes(pid: number): Promise<number> {
  const found = await readStat(pid);
  if (!found) throw new Error(`process ${pid} has ended`);
  return found.bytes / 1_048_576;
}

/** The process ID of the Postgres server that `pool` is connected to on this machine. */
export async function findPostmaster(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const backend = await readStat(rows[0]?.pid ?? 0);
  if (!backend) throw new Error('Postgres is not on this machine, so its CPU time cannot be measured');
  return backend.parent;
}

async function treeOf(root: number): Promise<ProcessStat[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(names.map((name) => readStat(Number(name))))).filter((one) => one !== null);
  const children = Map.groupBy(all, ({ parent }) => parent);
  const found: ProcessStat[] = [];
  const add = (process: ProcessStat): void => {
    found.push(process);
    for (const child of children.get(process.pid) ?? []) add(child);
  };
  const process = all.find(({ pid }) => pid === root);
  if (!process) throw new Error(`process ${root} has ended`);
  add(process);
  return found;
}

/** `path`: below `/proc`. @returns null for a process or thread that has ended */
async function readStat(path: number | string): Promise<ProcessStat | null> {
  const text = await readFile(`/proc/${path}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The name can contain spaces and parentheses. After it come state (field 3), parent, and so on.
  const fields = text
    .slice(text.lastIndexOf(') ') + 2)
    .split(' ')
    .map(Number);
  const field = (number: number) => fields[number - 3] ?? 0;
  return {
    pid: Number.parseInt(text, 10),
    name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
    parent: field(4),
    ownTicks: field(14) + field(15),
    // With children that have ended.
    ticks: field(14) + field(15) + field(16) + field(17),
    bytes: field(24) * pageBytes,
  };
}
