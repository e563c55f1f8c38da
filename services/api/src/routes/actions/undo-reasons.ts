import type { UndoReason } from '@gatebook/commands/undo/reversibility';
import { germanUndoReasons } from '../../german/undo-reasons.ts';
import type { TextLanguage } from '../../http/text-language.ts';

export const reasonIn = (language: TextLanguage, reason: UndoReason): string =>
  language === 'de' ? germanUndoReasons[reason] : reason;
