import { settledBefore, settleMs, windowMs } from '@gatebook/readmodel/activity/rejection-counts';
import type { RejectionPlace } from '@gatebook/readmodel/activity/rejection-list';
import type { AuditPlace } from '@gatebook/readmodel/audit/queries';
import type { AuditPlaces } from './cursor.ts';

/** When the counts of the window that contains a time are settled, so that they change no more. */
export const settledAt = (at: number): number => (Math.floor(at / windowMs) + 1) * windowMs + settleMs;

const firstId = '00000000-0000-0000-0000-000000000000';
const lastPosition = 2n ** 63n - 1n;

/** After the rejections that were settled before `at`. */
export const afterSettled = (at: number): RejectionPlace => ({ at: settledBefore(at), id: firstId });

/** In the order of settled rejections, after this event. */
export const placesAfterEvent = ({ at, position }: AuditPlace): AuditPlaces => ({
  events: { at, position },
  rejections: afterSettled(at),
});

/** In the order of settled rejections, after this rejection. */
export function placesAfterRejection({ at, id }: RejectionPlace): AuditPlaces {
  return { events: { at: settledAt(at), position: lastPosition }, rejections: { at, id } };
}

/** The place that comes later. */
export const laterOf = <Place extends { at: number }>(one: Place | null, other: Place): Place =>
  one !== null && one.at > other.at ? one : other;
