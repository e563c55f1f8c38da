import type { Route } from '../../http/define-route.ts';
import { exportAuditEventsRoute } from './export-audit-events.ts';
import { findEventSchemaRoute } from './find-event-schema.ts';

export const auditExportRoutes: readonly Route[] = [exportAuditEventsRoute, findEventSchemaRoute];
