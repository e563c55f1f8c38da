import type { TeamMember } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Grants, type GrantsProps } from '../../components/grants.tsx';
import { nameOf } from './member-name.ts';

type Props = Omit<GrantsProps, 'holder'> & { editing: TeamMember | null; onClose: () => void; teamId: string };

export function MemberPermissionsDialog({ editing, onClose, teamId, ...grants }: Props) {
  return (
    <FormDialog
      opened={editing !== null}
      onClose={onClose}
      title={editing ? t`Permissions of ${nameOf(editing)}` : ''}
      size="lg"
    >
      {editing && <Grants {...grants} holder={{ teamId, userId: editing.user.id }} />}
    </FormDialog>
  );
}
