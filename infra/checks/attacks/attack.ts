import type { World } from './world.ts';

/** One attempt. `code` is that of the security review; `run` throws when the attack succeeds. */
export type Attack = { code: string; attempt: string; run: (world: World) => Promise<void> };

export const attack = (code: string, attempt: string, run: Attack['run']): Attack => ({ code, attempt, run });
