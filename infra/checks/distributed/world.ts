import type { Part } from '../../testing/parts.ts';
import type { Installation } from './installation.ts';

/** A distributed installation, as the tests leave it to each other. */
export type World = {
  installation: Installation;
  apis: [Part, Part];
  projectors: [Part, Part];
  workers: [Part, Part];
  /** IDs of users whose creation was acknowledged. */
  acknowledged: string[];
};

/** Both APIs: every other round in reverse. */
export const inTurn = ([one, other]: [Part, Part], round: number): [Part, Part] =>
  round % 2 === 0 ? [one, other] : [other, one];
