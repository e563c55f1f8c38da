import type { HistoryItem } from '@gatebook/contract/history';
import { type Definitions, idsOf } from '@gatebook/domain/permission/effective';
import type { TextLanguage } from '../../http/text-language.ts';
import { historyText } from './history-text.ts';
import type { HistoryRow } from './user-history-rows.ts';

export function toHistoryItem(
  row: HistoryRow,
  { permissions, language }: { permissions: Definitions; language: TextLanguage },
): HistoryItem {
  const { eventId, type, details, teamName, channelValue, at, actorKind, actorId, actorName } = row;
  const { impersonatorKind, impersonatorId, impersonatorName } = row;
  // Events contain permission keys; show the current permission IDs.
  const permission = typeof details?.permission === 'string' ? idsOf(permissions, [details.permission])[0] : undefined;
  return {
    id: eventId,
    type,
    text: historyText(language, type, details && { ...details, permission, team: teamName, value: channelValue }),
    at_millis: at,
    actor: {
      kind: actorKind,
      id: actorId,
      display_name: actorName,
      impersonator:
        impersonatorKind === null
          ? null
          : { kind: impersonatorKind, id: impersonatorId, display_name: impersonatorName },
    },
  };
}
