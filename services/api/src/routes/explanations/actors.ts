import type { CauseView } from '@gatebook/contract/explanations';
import type { Actor } from '@gatebook/domain/event';

export type Names = ReadonlyMap<string, string | null>;

export const idsOfActor = ({ id, impersonator }: Actor): string[] =>
  [id, impersonator?.id].filter((one): one is string => typeof one === 'string');

export function toActorView({ kind, id, impersonator }: Actor, names: Names): CauseView['actor'] {
  const toView = (who: Pick<Actor, 'id'> & { kind: string }) => {
    return { kind: who.kind, id: who.id, display_name: names.get(who.id ?? '') ?? null };
  };
  return { ...toView({ kind, id }), impersonator: impersonator ? toView(impersonator) : null };
}
