/**
 * Rows of one source in the order of the list. `next`: a place after the rows from which the source has more; null at
 * its end.
 */
export type SourcePage<Row, Place extends { at: number }> = { rows: readonly Row[]; next: Place | null };

/** `rankOf`: by which a time of the source is compared with those of the other one; the time itself if absent. */
type Source<Row, Place extends { at: number }> = {
  page: SourcePage<Row, Place>;
  placeOf: (row: Row) => Place;
  rankOf?: ((at: number) => number) | undefined;
};
/** null: from the beginning. */
type Places<EventPlace, RejectionPlace> = { events: EventPlace | null; rejections: RejectionPlace | null };

/**
 * Merges events and rejections by time. Where a source has more rows, only what comes before its last place is
 * returned, so that nothing of it is passed over. `places`: after the returned rows. `next`: the same; null if both
 * sources are at their end.
 */
export function mergeByTime<E, EP extends { at: number }, R, RP extends { at: number }>(
  { events, rejections }: { events: Source<E, EP>; rejections: Source<R, RP> },
  { order, limit, after }: { order: 'asc' | 'desc'; limit: number; after: Places<EP, RP> },
): { rows: ({ event: E } | { rejection: R })[]; places: Places<EP, RP>; next: Places<EP, RP> | null } {
  const isBefore = (one: number, other: number) => (order === 'desc' ? one > other : one < other);
  const rows: ({ event: E } | { rejection: R })[] = [];
  const place = { ...after };
  let [nthEvent, nthRejection] = [0, 0];
  for (;;) {
    const event = events.page.rows[nthEvent];
    const rejection = rejections.page.rows[nthRejection];
    const eventAt = rankOf(events, event);
    const rejectionAt = rankOf(rejections, rejection);
    const isEventNext = rejectionAt === undefined || (eventAt !== undefined && !isBefore(rejectionAt, eventAt));
    if (eventAt === undefined && rejectionAt === undefined) return { rows, places: place, next: null };
    // The next row of this source is not known yet.
    if (isEventNext ? event === undefined : rejection === undefined) break;
    if (rows.length === limit) return { rows, places: place, next: place };
    if (isEventNext && event !== undefined) {
      rows.push({ event });
      place.events = events.placeOf(event);
      nthEvent += 1;
    } else if (rejection !== undefined) {
      rows.push({ rejection });
      place.rejections = rejections.placeOf(rejection);
      nthRejection += 1;
    }
  }
  if (nthEvent === events.page.rows.length) place.events = events.page.next ?? place.events;
  if (nthRejection === rejections.page.rows.length) place.rejections = rejections.page.next ?? place.rejections;
  return { rows, places: place, next: place };
}

/** The rank of the next row, or of the place from which the source has more. */
function rankOf<Row, Place extends { at: number }>(
  { page, placeOf, rankOf: rank = (at) => at }: Source<Row, Place>,
  row: Row | undefined,
): number | undefined {
  const at = row === undefined ? page.next?.at : placeOf(row).at;
  return at === undefined ? undefined : rank(at);
}
