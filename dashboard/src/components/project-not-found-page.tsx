import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconLayoutGrid } from '@tabler/icons-react';
import { useTitle } from '../lib/use-title.ts';
import { LinkButton } from './app-link.tsx';
import { Page } from './page.tsx';
import { Card, EmptyNote } from './states.tsx';

/** Instead of every page of a project that does not exist, or that the person is not a member of. */
export function ProjectNotFoundPage() {
  useTitle(t`Project not found`);
  return (
    <Page title={t`Project not found`}>
      <Card>
        <EmptyNote
          icon={<IconLayoutGrid size={22} aria-hidden />}
          title={t`This project does not exist, or you are not a member`}
          action={
            <LinkButton href="/projects">
              <Trans>View projects</Trans>
            </LinkButton>
          }
        >
          <Trans>The link may be incomplete. Ask an owner of the project to invite you.</Trans>
        </EmptyNote>
      </Card>
    </Page>
  );
}
