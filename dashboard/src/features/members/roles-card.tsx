import type { ProjectRole } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { Card } from '../../components/states.tsx';
import { roleLabels } from '../../lib/role.ts';
import classes from './members.module.css';
import { rolesOf } from './names.ts';

const texts: Readonly<Record<ProjectRole, string>> = {
  owner: t`Everything, including members, admin keys and the deletion of the project.`,
  developer: t`Settings, keys, permissions, webhooks and templates; secrets; signing in as a user.`,
  support: t`Users and teams: profiles, restrictions, sessions, resets, invitations and emails.`,
  read_only: t`Sees everything but secrets.`,
};

/** What each role may do. */
export function RolesCard({ projectId }: { projectId: string }) {
  return (
    <Card title={t`Roles`} labelId="roles-title">
      <dl className={classes.roles}>
        {rolesOf(projectId).map((role) => (
          <div key={role}>
            <dt>{roleLabels[role]}</dt>
            <Text component="dd" size="sm" c="dimmed">
              {texts[role]}
            </Text>
          </div>
        ))}
      </dl>
    </Card>
  );
}
