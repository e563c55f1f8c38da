import type { Route } from '../../http/define-route.ts';
import { auditTimelineRoute } from './audit-timeline.ts';
import { findAuditEventRoute } from './find-audit-event.ts';
import { listAuditEventTypesRoute } from './list-audit-event-types.ts';
import { listAuditEventsRoute } from './list-audit-events.ts';
import { streamAuditEventsRoute } from './stream-audit-events.ts';

export const auditRoutes: readonly Route[] = [
  listAuditEventsRoute,
  streamAuditEventsRoute,
  auditTimelineRoute,
  findAuditEventRoute,
  listAuditEventTypesRoute,
];
