import { isReversible } from '@gatebook/commands/undo/reversibility';
import { AuditEventTypeListView } from '@gatebook/contract/audit';
import { auditTypeOf, listAuditTypes } from '@gatebook/domain/audit/audit-types';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { titleOf } from './audit-texts.ts';
import { rejectionCategory, rejectionTitles, rejectionType } from './wire.ts';

const ofRejections = {
  type: rejectionType,
  category: rejectionCategory,
  is_technical: false,
  is_reversible: false,
};

export const listAuditEventTypesRoute = defineRoute({
  method: 'GET',
  path: '/internal/audit-event-types',
  access: adminOnly,
  tags: ['Audit log'],
  summary: 'List types of audit events',
  description: 'With category and title. Technical types are left out of lists unless asked for.',
  response: { 200: AuditEventTypeListView },
  isTranslated: true,
  handle: async ({ language }) => ({
    items: [
      ...listAuditTypes(() => true).flatMap((type) => {
        const found = auditTypeOf(type);
        if (!found) return [];
        const { category, isTechnical } = found;
        const text = titleOf(language, type);
        return [{ type, category, text, is_technical: isTechnical === true, is_reversible: isReversible(type) }];
      }),
      { ...ofRejections, text: rejectionTitles[language] },
    ],
    is_paginated: false as const,
  }),
});
