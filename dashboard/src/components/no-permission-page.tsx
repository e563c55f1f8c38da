import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTitle } from '../lib/use-title.ts';
import { LinkButton } from './app-link.tsx';
import { Page } from './page.tsx';
import { Card, EmptyNote } from './states.tsx';

/** Instead of a page that the person's role may not open. */
export function NoPermissionPage({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <Page title={title}>
      <Card>
        <EmptyNote
          icon={<IconLock size={22} aria-hidden />}
          title={t`You can’t open this page`}
          action={
            <LinkButton href="/projects">
              <Trans>View projects</Trans>
            </LinkButton>
          }
        >
          {children}
        </EmptyNote>
      </Card>
    </Page>
  );
}
