import type { DomainEvent } from '@gatebook/domain/event';
import { type Definitions, idsOf } from '@gatebook/domain/permission/effective';
import { historyText, historyTypes } from '../history/history-text.ts';

/** One event in plain words. */
export function eventText({ type, data }: DomainEvent, definitions: Definitions): string {
  if (!historyTypes.includes(type)) return type.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const { permissionKey } = data;
  const permission = typeof permissionKey === 'string' ? idsOf(definitions, [permissionKey])[0] : undefined;
  return historyText(type, { ...data, permission });
}
