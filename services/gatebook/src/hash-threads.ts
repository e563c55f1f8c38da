import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism, constants, getPriority, setPriority } from 'node:os';

/** Threads of libuv, which hash passwords, and the kernel's list of all threads (proc_pid_task(5)). */
const poolThread = 'libuv-worker';
const threadsFolder = '/proc/self/task';
/** Below the priority of the process; with fewer, requests waited as long as without. */
const steps = 10;

/**
 * Lowers the priority of the threads that hash passwords, so that requests and the database go first
 * (docs/decisions/0068). Linux has a priority per thread. @returns whether all threads have it
 */
export async function lowerHashPriority(): Promise<boolean> {
  try {
    const lowered = Math.min(getPriority() + steps, constants.priority.PRIORITY_LOW);
    // Reading the folder starts the threads.
    const ids = await readdir(threadsFolder);
    const names = await Promise.all(ids.map((id) => readFile(`${threadsFolder}/${id}/comm`, 'utf8').catch(() => '')));
    const found = ids.filter((_, nth) => names[nth]?.trim() === poolThread);
    for (const id of found) setPriority(Number(id), lowered);
    return found.length > 0;
  } catch {
    return false;
  }
}

/** How many passwords are hashed at once if no setting says so. One core is left for requests that don't go first. */
export const usualHashThreads = (isLowered: boolean) => Math.max(1, availableParallelism() - (isLowered ? 0 : 1));
