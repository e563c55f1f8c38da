import { useResource } from '@gatebook/react';
import { useCallback } from 'react';
import { MembersPage } from '../features/members/members-page.tsx';
import { useApp } from '../lib/app.ts';
import type { ShownPreview } from '../lib/shown-previews.ts';
import { useProject } from './use-project.ts';

export default function MembersRoute() {
  const { admin } = useProject();
  const { client, config, previews } = useApp();
  const me = useResource(['me'], client.me.find);
  const show = useCallback((shown: ShownPreview) => previews.show(config.projectId, shown), [previews, config]);
  return (
    <MembersPage
      key={admin.projectId}
      members={admin.members}
      projects={client.projects}
      previews={{ preview: client.changes.preview, show }}
      audit={admin.audit}
      projectId={admin.projectId}
      ownId={me.value?.id ?? null}
    />
  );
}
