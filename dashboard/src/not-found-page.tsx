import { LinkButton } from './components/app-link.tsx';
import { EntryPage } from './components/entry-page.tsx';
import { useTitle } from './lib/use-title.ts';

export function NotFoundPage() {
  useTitle('Page not found');
  return (
    <EntryPage title="Page not found" lead="The link may be incomplete, or the page has moved.">
      <LinkButton href="/projects">View projects</LinkButton>
    </EntryPage>
  );
}
