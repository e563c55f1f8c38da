import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { LinkButton } from './components/app-link.tsx';
import { EntryPage } from './components/entry-page.tsx';
import { useTitle } from './lib/use-title.ts';

export function NotFoundPage() {
  useTitle(t`Page not found`);
  return (
    <EntryPage title={t`Page not found`} lead={t`The link may be incomplete, or the page has moved.`}>
      <LinkButton href="/projects">
        <Trans>View projects</Trans>
      </LinkButton>
    </EntryPage>
  );
}
