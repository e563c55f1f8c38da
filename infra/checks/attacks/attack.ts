import type { World } from './world.ts';

/** One attempt. `code` is that of the security review; `run` throws when the attack succeeds. */
export type Attack = { code: string; attempt: string; run: (world: World) => Promise<void> };

export const attack = (code: string, attempt: string, run: Attack['run']): Attack => ({ code, attempt, run });

/** @throws Error with what the attacker got, unless the defense held */
export function mustHold(hasHeld: boolean, otherwise: string): void {
  if (!hasHeld) throw new Error(otherwise);
}

/** @throws Error unless the answer is a rejection, and not a failure of the server */
export function mustReject({ status, text }: { status: number; text: string }, what: string): void {
  if (status < 400 || status >= 500) throw new Error(`${what}: ${status} ${text.slice(0, 120)}`);
}
