import { useResource } from '@gatebook/react';
import { MembersPage } from '../features/members/members-page.tsx';
import { useApp } from '../lib/app.ts';
import { useProject } from './use-project.ts';

export default function MembersRoute() {
  const { admin } = useProject();
  const me = useResource(['me'], useApp().client.me.find);
  return (
    <MembersPage
      key={admin.projectId}
      members={admin.members}
      audit={admin.audit}
      projectId={admin.projectId}
      ownId={me.value?.id ?? null}
    />
  );
}
