import type { Context } from '@gatebook/commands/deps';
import { readIfPossible } from '@gatebook/commands/read-if-possible';
import { reversibilityOfAll, type UndoReason } from '@gatebook/commands/undo/reversibility';
import { roleToUndo } from '@gatebook/commands/undo/role-to-undo';
import { type Action, type UndoConflict as Conflict, checkUndo } from '@gatebook/commands/undo/undo-action';
import type { ActionView, UndoConflict } from '@gatebook/contract/previews';
import { withoutLarge } from '@gatebook/domain/audit/field-changes';
import { type Json, snakeCase } from '@gatebook/domain/audit/fields';
import { DomainError, type DomainErrorCode } from '@gatebook/domain/errors';
import type { Definitions } from '@gatebook/domain/permission/effective';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { errorText } from '../../http/error-texts.ts';
import type { TextLanguage } from '../../http/text-language.ts';
import { requireRole } from '../../roles.ts';
import { targetOfStream } from '../../targets.ts';
import { digest, withPermissionIds } from './changes.ts';
import { withoutSecrets } from './hide-values.ts';
import { reasonIn } from './undo-reasons.ts';

type UndoFacts = ActionView['undo'];

/** What an undo would answer now. */
export async function findUndoState(
  deps: Deps,
  context: Context,
  { action, caller, language }: { action: Action; caller: Pick<Caller, 'owner' | 'project'>; language: TextLanguage },
): Promise<UndoFacts> {
  const { project } = caller;
  const { isReversible, reasons } = reversibilityOfAll(action.events.map(({ type }) => type));
  const facts: UndoFacts = {
    state: 'not_reversible',
    reasons: reasons.map((reason) => reasonIn(language, reason)),
    conflicts: [],
    undone_by_action_id: null,
  };
  if (!isReversible) return facts;
  try {
    const isChecked = await readIfPossible(async () => {
      requireRole(caller, roleToUndo(action));
      await checkUndo(deps, context, { action, project });
      return true;
    });
    if (!isChecked) return { ...facts, reasons: [reasonIn(language, 'Earlier events can’t be read.')] };
    return { ...facts, state: reasons.length > 0 ? 'partial' : 'possible' };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { ...facts, ...rejectedState(language, error, project.permissions) };
  }
}

function rejectedState(language: TextLanguage, error: DomainError, definitions: Definitions): Partial<UndoFacts> {
  const { code, details } = error;
  if (code === 'ACTION_ALREADY_UNDONE') return { state: 'undone', undone_by_action_id: String(details.by_action_id) };
  if (code === 'UNDO_CONFLICT') return { state: 'conflict', conflicts: toConflicts(error, definitions) };
  return { reasons: reasonsOf(language, error) };
}

export const undoErrors = [
  'ACTION_NOT_REVERSIBLE',
  'ACTION_ALREADY_UNDONE',
  'UNDO_CONFLICT',
] as const satisfies readonly DomainErrorCode[];

/** The error that callers see: an undo that another rule rejects is not possible, for the reason of that rule. */
export function toUndoError(error: DomainError): DomainError {
  if ((undoErrors as readonly string[]).includes(error.code)) return error;
  const [reasons, reasonsInGerman] = [reasonsOf('en', error), reasonsOf('de', error)];
  return new DomainError('ACTION_NOT_REVERSIBLE', { reasons, reasonsInGerman });
}

/** Why the commands reject that restore the values. */
function reasonsOf(language: TextLanguage, { code, details }: DomainError): string[] {
  if (code !== 'ACTION_NOT_REVERSIBLE') return [errorText(language, code, details)];
  return (details.reasons as UndoReason[]).map((reason) => reasonIn(language, reason));
}

export function toConflicts({ details }: DomainError, definitions: Definitions): UndoConflict[] {
  return (details.conflicts as readonly Conflict[]).map(({ stream, path, restored, current, changedByEventId }) => {
    const name = path.at(-1) ?? '';
    return {
      target: targetOfStream(stream),
      field: fieldNameOf(path, definitions),
      restored_value: shown(name, restored),
      current_value: shown(name, current),
      changed_by_event_id: changedByEventId,
    };
  });
}

/** Without secrets and large values. `name`: of the field. */
function shown(name: string, value: unknown): UndoConflict['current_value'] {
  const { [name]: known = null } = withoutSecrets({ [name]: value ?? null }) as Record<string, Json>;
  return withoutLarge(known, digest) as UndoConflict['current_value'];
}

/** The name of a restored value in requests. */
function fieldNameOf(path: readonly string[], definitions: Definitions): string {
  const [first = '', ...rest] = path;
  if (first === 'membership') return rest.length === 0 ? 'status' : withPermissionIds(rest.join('.'), definitions);
  const isConfig = first === 'config' || first === 'settings';
  const names = isConfig ? path.filter((name) => name !== 'switches').map(snakeCase) : path;
  return withPermissionIds(names.join('.'), definitions);
}
