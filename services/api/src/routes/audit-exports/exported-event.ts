import type { ExportedEventView } from '@gatebook/contract/audit-export';

export type ExportedEvent = ExportedEventView;

/** `issuer`: URL of the project, as in its tokens. */
export type ExportContext = { projectId: string; issuer: string; publicUrl: string; version: string };
/** The last line of a complete export. `next_cursor`: where a later export goes on. */
export type ExportEnd = { end: true; count: number; next_cursor: string };
