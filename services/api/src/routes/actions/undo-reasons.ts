import type { UndoReason } from '@gatebook/commands/undo/reversibility';
import { germanUndoReasons } from '../../german/undo-reasons.ts';
import type { TextLanguage } from '../../http/text-language.ts';

const german: Readonly<Record<string, string>> = germanUndoReasons;

/** A reason in a language. One that is the text of an error is in English. */
export const reasonIn = (language: TextLanguage, reason: UndoReason | (string & {})): string =>
  (language === 'de' ? german[reason] : undefined) ?? reason;
