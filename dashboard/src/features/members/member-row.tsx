import type { ProjectMember, ProjectRole } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { Row } from '../../components/rows.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { Writing } from '../../components/writing.tsx';
import { roleLabels } from '../../lib/role.ts';
import type { MemberChange } from './member-dialog.tsx';
import { memberName, roleOptions } from './names.ts';

type Props = {
  projectId: string;
  member: ProjectMember;
  isOwn: boolean;
  history: ReactNode;
  onChange: (change: MemberChange) => void;
};

export function MemberRow({ projectId, member, isOwn, history, onChange }: Props) {
  const { userId, primaryEmail, role, isThroughTeam } = member;
  const name = memberName(member);
  return (
    <Row
      icon={<UserAvatar id={userId} name={name} />}
      small={isThroughTeam ? t`Owner through the team that owns the project` : primaryEmail}
      details={
        <>
          {history}
          {isThroughTeam ? (
            roleLabels[role]
          ) : (
            <MemberControls
              projectId={projectId}
              name={name}
              role={role}
              isOwn={isOwn}
              onChange={(next) => onChange({ member, role: next })}
            />
          )}
        </>
      }
    >
      {name}{' '}
      {isOwn && (
        <Badge size="xs" variant="light">
          <Trans>You</Trans>
        </Badge>
      )}
    </Row>
  );
}

type ControlsProps = {
  projectId: string;
  name: string;
  role: ProjectRole;
  isOwn: boolean;
  onChange: (role: ProjectRole | null) => void;
};

function MemberControls({ projectId, name, role, isOwn, onChange }: ControlsProps) {
  return (
    <>
      <Writing needs="owner">
        <NativeSelect
          size="xs"
          w={130}
          aria-label={t`Role of ${name}`}
          data={roleOptions(projectId, role)}
          value={role}
          onChange={({ currentTarget }) => onChange(currentTarget.value as ProjectRole)}
        />
      </Writing>
      <Writing needs={isOwn ? 'read_only' : 'owner'}>
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={isOwn ? t`Leave project` : t`Remove ${name}`}
          onClick={() => onChange(null)}
        >
          {isOwn ? t`Leave` : t`Remove`}
        </Button>
      </Writing>
    </>
  );
}
