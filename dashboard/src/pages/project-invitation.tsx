import { InvitationPage } from '../features/members/invitation-page.tsx';
import { useApp } from '../lib/app.ts';
import { useNavigation } from '../lib/navigation.ts';
import { useSearchText } from './parameters.ts';

export default function ProjectInvitationRoute() {
  const { client } = useApp();
  const { go } = useNavigation();
  const { project_id: projectId = '', code = '' } = useSearchText();
  const back = `/project-invitation?${new URLSearchParams({ project_id: projectId, code })}`;
  return (
    <InvitationPage
      invitations={client.projectInvitations}
      link={{ projectId, code }}
      isSignedIn={client.session.isSignedIn()}
      signInHref={`/handler/sign-in?${new URLSearchParams({ after_auth_return_to: back })}`}
      onDone={() => go(`/projects/${projectId}`, { replace: true })}
    />
  );
}
