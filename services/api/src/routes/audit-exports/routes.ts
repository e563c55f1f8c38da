import type { Route } from '../../http/define-route.ts';
import { exportAuditEventsRoute } from './export-audit-events.ts';

export const auditExportRoutes: readonly Route[] = [exportAuditEventsRoute];
