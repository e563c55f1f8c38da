import type { PublicEventType } from '@gatebook/domain/public-events/types';
import type { EventRow } from './queries.ts';

/** One of the public events that a row stands for. */
export type Slot = {
  row: EventRow;
  nth: number;
  type: PublicEventType;
  userId: string | null;
  teamId: string | null;
  /** The part of the user that it is about, if the event of the log does not name it. */
  part?: string;
  /** The teams of a deleted user. */
  teamIds?: readonly string[];
};
