import { expect } from 'vitest';
import type { Decider } from './decider.ts';
import { DomainError, type DomainErrorCode } from './errors.ts';

/** Given events, when a command, then events or a rejection: the form of all decider tests. */
export function given<S, C, E>(decider: Decider<S, C, E>, ...past: readonly NoInfer<E>[]) {
  const state = past.reduce(decider.evolve, decider.initialState);
  return {
    when(command: C) {
      return {
        then(...events: readonly E[]): void {
          expect(decider.decide(command, state)).toEqual(events);
        },
        thenRejected(code: DomainErrorCode, details: Record<string, unknown> = {}): void {
          try {
            decider.decide(command, state);
          } catch (error) {
            if (!(error instanceof DomainError)) throw error;
            expect({ code: error.code, details: error.details }).toEqual({ code, details });
            return;
          }
          expect.fail(`expected the rejection ${code}, but the command was accepted`);
        },
      };
    },
  };
}
