import type { AuditClient } from '@gatebook/js/admin';
import type { AuditSearch } from '../../../components/audit/audit-search.ts';
import { noAudit } from '../../../testing/clients.ts';
import { renderPage } from '../../../testing/render.tsx';
import { annId, sampleAuditEvent } from '../../../testing/samples.ts';
import { AuditPage } from '../audit-page.tsx';

export const renamed = sampleAuditEvent();
export const detail = {
  ...renamed,
  changes: [
    { field: 'display_name', before: 'Ann', after: 'Anne', isRedacted: false },
    { field: 'smtp_password', before: 'redacted', after: 'redacted', isRedacted: true },
    { field: 'profile_image_url', before: null, after: { bytes: 90_000, sha256: 'ab' }, isRedacted: false },
  ],
  data: { userId: annId },
  effects: [sampleAuditEvent({ id: 'e9', text: 'Sent a notice' })],
  undo: { state: 'possible', reasons: [] },
  actionsSameRequest: [],
};

type Fakes = Partial<AuditClient> & { search?: Partial<AuditSearch> };

/** The audit log with one event, unless its client answers otherwise. */
export function show({ search = {}, ...calls }: Fakes = {}) {
  const audit: AuditClient = {
    ...noAudit,
    list: async () => ({ items: [renamed], nextCursor: null }),
    timeline: async () => [{ at: new Date(0), count: 0, isComplete: true }],
    listTypes: async () => [],
    find: async () => detail,
    ...calls,
  };
  return renderPage(<AuditPage audit={audit} projectId="p1" projectName="Shop" search={{ tab: 'all', ...search }} />);
}
