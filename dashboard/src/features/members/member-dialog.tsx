import { callOfRoleChange, type ProjectMember, type ProjectRole } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { roleLabels } from '../../lib/role.ts';
import { memberName } from './names.ts';

/** `role`: null removes the member. */
export type MemberChange = { member: ProjectMember; role: ProjectRole | null };

type Props = {
  change: MemberChange | null;
  ownId: string | null;
  onClose: () => void;
  onConfirm: (change: MemberChange) => Promise<void>;
};

/** Asks before a member gets another role or loses access. */
export function MemberDialog({ change, ownId, onClose, onConfirm }: Props) {
  const isOwn = change !== null && change.member.userId === ownId;
  return (
    <ConfirmDialog
      isOpen={change !== null}
      onClose={onClose}
      {...textsOf(change, isOwn)}
      call={change ? callOf(change, isOwn) : undefined}
      onConfirm={async () => {
        if (change) await onConfirm(change);
      }}
    />
  );
}

function callOf({ member: { userId }, role }: MemberChange, isOwn: boolean) {
  if (role !== null) return callOfRoleChange(userId, role);
  return { method: 'DELETE', path: `/internal/projects/current/members/${isOwn ? 'me' : userId}` } as const;
}

function textsOf(change: MemberChange | null, isOwn: boolean) {
  if (change === null) return { title: '', confirmLabel: '', children: null };
  const { member, role } = change;
  const name = memberName(member);
  if (role !== null) {
    const label = roleLabels[role];
    return {
      title: isOwn ? t`Change your role to ${label}?` : t`Change the role of ${name} to ${label}?`,
      confirmLabel: t`Change role`,
      color: 'verdigris',
      children: t`The new role applies immediately, also on pages that are already open.`,
    };
  }
  if (isOwn) {
    return {
      title: t`Leave this project?`,
      confirmLabel: t`Leave project`,
      children: t`You lose access to the project immediately. Only an owner can add you again.`,
    };
  }
  return {
    title: t`Remove ${name}?`,
    confirmLabel: t`Remove member`,
    children: t`${name} loses access to the project immediately. The account stays.`,
  };
}
