import type { AuditEventDetailView, AuditEventView } from '@gatebook/contract/audit';

/** An event of the audit log as exports show it: like the list, with what it changed and its data without secrets. */
export type ExportedEvent = AuditEventView & Pick<AuditEventDetailView, 'changes' | 'data'>;

/** `issuer`: URL of the project, as in its tokens. */
export type ExportContext = { projectId: string; issuer: string; publicUrl: string; version: string };
/** The last line of a complete export. `next_cursor`: where a later export goes on. */
export type ExportEnd = { end: true; count: number; next_cursor: string };
